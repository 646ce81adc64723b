"use strict";
const all = (selector, within = document) => [...within.querySelectorAll(selector)];
const root = document.documentElement, parts = all(".part"), lit = new Set();

/* The theme is that of the system until the button is pressed. */
const stored = (...value) => { try { return value.length ? localStorage.setItem("theme", value[0]) : localStorage.getItem("theme"); } catch { return null; } };
if (["light", "dark"].includes(stored())) root.dataset.theme = stored();
document.getElementById("theme").addEventListener("click", () => {
  const now = root.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
  root.dataset.theme = now === "dark" ? "light" : "dark";
  stored(root.dataset.theme);
});

/* One experiment or sweep at a time: that of the address, at first the first. */
function choose() {
  const name = decodeURIComponent(location.hash.slice(1)), target = document.getElementById(name);
  const chosen = target && target.closest(".part") || parts.find((part) => !part.hidden && parts.some((other) => other.hidden)) || parts[0];
  for (const part of parts) part.hidden = name !== "all" && part !== chosen;
  for (const link of all("nav a")) {
    const here = name === "all" ? "all" : chosen && chosen.id;
    link.toggleAttribute("aria-current", link.getAttribute("href") === "#" + here);
  }
  if (target) target.scrollIntoView();
}
addEventListener("hashchange", choose);
choose();

/* A click on a policy shows it alone, everywhere; a second click or Escape ends that. */
function light(policy) {
  if (policy === null) lit.clear(); else if (!lit.delete(policy)) lit.add(policy);
  root.classList.toggle("lit", lit.size > 0);
  for (const each of all("[data-policy]")) {
    const on = lit.has(each.dataset.policy);
    each.classList.toggle("on", on);
    if (each.matches("button")) each.setAttribute("aria-pressed", on);
  }
}
addEventListener("keydown", (event) => { if (event.key === "Escape") light(null); });
addEventListener("click", (event) => {
  const policy = event.target.closest("[data-policy]"), button = event.target.closest("[data-sort]");
  if (button) sort(button.closest("th")); else if (policy && !event.target.closest("a")) light(policy.dataset.policy);
});

/* Numbers by size, texts by letters, what is missing last. */
function sort(head) {
  const body = head.closest("table").tBodies[0], sign = head.ariaSort === "ascending" ? -1 : 1;
  const key = (row) => { const cell = row.cells[head.cellIndex]; return cell.dataset.v ?? cell.textContent; };
  const compare = (a, b) => a === "" || b === "" ? (a === "") - (b === "")
    : sign * (isNaN(a) || isNaN(b) ? a.localeCompare(b) : a - b);
  const rows = [...body.rows].sort((a, b) => compare(key(a), key(b)));
  for (const other of head.parentNode.cells) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", sign > 0 ? "ascending" : "descending");
  body.append(...rows);
}
