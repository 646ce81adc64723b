// The page's state (in the URL's hash), its switches, tooltips and downloads.
(async () => {
"use strict";
const root = document.documentElement;
const one = (selector, within = document) => within.querySelector(selector);
const all = (selector, within = document) => [...within.querySelectorAll(selector)];

async function unpack(text) {
  const bytes = Uint8Array.from(atob(text.trim()), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

// ---- state: what is shown is what the address says
const state = {section: "", policies: [], basis: "expected", logx: false, logy: false, bands: true};
function read() {
  const said = new URLSearchParams(location.hash.slice(1));
  const keys = all("[data-section]").map((place) => place.dataset.section);
  const anchor = keys.find((key) => location.hash === `#${key}`);
  state.section = anchor || (keys.includes(said.get("show")) ? said.get("show") : keys[0]);
  state.policies = (said.get("policies") || "").split(",").filter((p) => /^p\d+$/.test(p));
  state.basis = said.get("basis") === "realised" ? "realised" : "expected";
  state.logx = said.has("logx"); state.logy = said.has("logy"); state.bands = !said.has("nobands");
}
function write() {
  const said = new URLSearchParams({show: state.section});
  if (state.policies.length) said.set("policies", state.policies.join(","));
  if (state.basis !== "expected") said.set("basis", state.basis);
  for (const name of ["logx", "logy"]) if (state[name]) said.set(name, "1");
  if (!state.bands) said.set("nobands", "1");
  history.replaceState(null, "", `#${said}`);
}

const payload = await unpack(one("#data").textContent);
const record = () => payload.sections[state.section];
const place = () => one(`[data-section="${state.section}"]`);

// Policies in drawing order: grey ones first. Chosen rows stand out alone; without any, the best do.
function policies() {
  const known = record().policies || [], chosen = state.policies.filter((p) => known.some((q) => q.p === p));
  const dressed = known.map((q) => ({...q, shown: chosen.length ? chosen.includes(q.p) : !q.muted}));
  return dressed.sort((a, b) => a.shown - b.shown);
}

function draw() {
  const section = record(), dressed = policies();
  for (const spot of all("[data-chart]", place())) {
    const name = spot.dataset.chart;
    if (name === "plane") Charts.plane(spot, section.plane, dressed);
    else {
      const panel = section.panels[name];
      const chart = {t: section.t, curves: panel.curves[state.basis] || {}, ylabel: panel.ylabel};
      const view = Charts.curves(spot, chart, dressed, {logx: state.logx, logy: state.logy, bands: state.bands, skip: panel.skip});
      if (view) hover(spot, view, chart, dressed);
    }
    for (const mark of all(".point", spot)) tip(mark, () => describe(mark.dataset.p));
  }
}

function show() {
  for (const section of all("[data-section]")) section.hidden = section.dataset.section !== state.section;
  one("#finding").textContent = place().dataset.finding;
  one("#finding").className = place().dataset.tone;
  document.title = `${place().dataset.finding} \u00b7 lincon`;
  if (one("#choose")) one("#choose").value = state.section;
  for (const button of all(".policy", place())) {
    const pressed = state.policies.includes(button.dataset.policy);
    button.setAttribute("aria-pressed", String(pressed));
    button.closest("tr").classList.toggle("chosen", pressed);
  }
  for (const input of all("[data-switch]", place())) {
    if (input.type === "radio") input.checked = state.basis === input.value;
    else input.checked = state[input.dataset.switch];
  }
  draw();
  root.dataset.drawn = String(all("[data-chart] svg", place()).length);
}

// ---- tooltips, inside the screen
const bubble = one("#tip");
function say(event, lines) {
  bubble.replaceChildren(...lines);
  bubble.hidden = false;
  const {width, height} = bubble.getBoundingClientRect();
  bubble.style.left = `${Math.max(4, Math.min(event.clientX + 14, innerWidth - width - 8))}px`;
  bubble.style.top = `${Math.max(4, event.clientY + 14 + height > innerHeight ? event.clientY - height - 14 : event.clientY + 14)}px`;
}
const hush = () => { bubble.hidden = true; };
function line(text, className = "", colour = "") {
  const made = Object.assign(document.createElement("div"), {textContent: text, className});
  if (colour) made.style.color = colour;
  return made;
}
function tip(mark, lines) {
  mark.addEventListener("pointermove", (event) => say(event, lines()));
  mark.addEventListener("pointerleave", hush);
}
function describe(p) {
  const policy = record().policies.find((q) => q.p === p), q = record().plane.points.find((each) => each.p === p);
  const range = (axis) => q[`${axis}_low`] === null ? "" : ` (${Charts.number(q[`${axis}_low`])} to ${Charts.number(q[`${axis}_high`])})`;
  return [line(policy.name, "strong"), line(`${record().plane.ylabel}: ${Charts.number(q.y)}${range("y")}`),
    line(`${record().plane.xlabel}: ${Charts.number(q.x)}${range("x")}`)];
}
// The values of all shown policies at the recorded round that is nearest to the pointer.
function hover(spot, {svg, sx, box, width}, chart, dressed) {
  const rule = document.createElementNS(svg.namespaceURI, "line");
  svg.append(rule);
  svg.addEventListener("pointermove", (event) => {
    const x = (event.clientX - svg.getBoundingClientRect().left) * width / svg.getBoundingClientRect().width;
    if (x < box.left - 4 || x > box.right + 4) { rule.removeAttribute("class"); return hush(); }
    let near = 0;
    chart.t.forEach((t, i) => { if (Math.abs(sx(Math.max(t, 1)) - x) < Math.abs(sx(Math.max(chart.t[near], 1)) - x)) near = i; });
    const at = sx(Math.max(chart.t[near], 1));
    for (const [key, value] of Object.entries({x1: at, x2: at, y1: box.top, y2: box.bottom, class: "tick"})) rule.setAttribute(key, value);
    const heard = dressed.filter(({p, shown}) => shown && chart.curves[p] && chart.curves[p][0][near] !== null)
      .sort((a, b) => chart.curves[b.p][0][near] - chart.curves[a.p][0][near]);
    say(event, [line(`round ${Charts.number(chart.t[near])}, ${state.basis}`, "soft"), ...heard.map(({p, name}) => {
      const [mean, low, high] = chart.curves[p].map((row) => row[near]);
      return line(`${name}  ${Charts.number(mean)}${low === null ? "" : `  (${Charts.number(low)} to ${Charts.number(high)})`}`, "", `var(--${p})`);
    })]);
  });
  svg.addEventListener("pointerleave", () => { rule.removeAttribute("class"); hush(); });
}
addEventListener("scroll", hush, {passive: true});

// ---- switches
document.addEventListener("change", ({target}) => {
  if (target.id === "choose") { state.section = target.value; state.policies = []; scrollTo(0, 0); }
  else if (target.dataset.switch) state[target.dataset.switch] = target.type === "checkbox" ? target.checked : target.value;
  else return;
  write(); show();
});
function toggle(policy) {
  state.policies = state.policies.includes(policy) ? state.policies.filter((p) => p !== policy) : [...state.policies, policy];
  write(); show();
}
document.addEventListener("click", async ({target}) => {
  const row = target.closest("tr[data-policy]"), button = target.closest("button");
  if (row) return toggle(row.dataset.policy);
  if (!button) return;
  if (button.id === "theme") root.dataset.theme = root.dataset.theme === "dark" ? "light" : "dark";
  if (button.id === "copy") {
    write();
    await navigator.clipboard.writeText(location.href).then(() => told("The link was copied"), () => told(location.href));
  }
  if (button.dataset.act === "clear") { state.policies = []; write(); show(); }
  if (button.dataset.file) download(button.dataset.file, payload.files[button.dataset.file]);
});
addEventListener("hashchange", () => { read(); show(); });
let waiting = 0;
addEventListener("resize", () => { clearTimeout(waiting); waiting = setTimeout(draw, 150); });

// ---- files
function told(text) { one("#status").textContent = text; }
function download(name, text) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], {type: "text/plain;charset=utf-8"}));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  told(`${name} was saved`);
}

const dark = matchMedia("(prefers-color-scheme: dark)");
const follow = () => { root.dataset.theme = dark.matches ? "dark" : "light"; };
dark.addEventListener("change", follow);
follow();
// Paper has every section: those that are hidden are drawn for it, too.
addEventListener("beforeprint", () => {
  const shown = state.section;
  for (const section of all("[data-section]")) { section.hidden = false; state.section = section.dataset.section; draw(); }
  state.section = shown;
});
addEventListener("afterprint", show);
read();
show();
})();
