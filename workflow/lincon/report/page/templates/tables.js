// Tables sort by a press on a heading: numbers as numbers, what is missing last.
(() => {
"use strict";
function sortBy(header, index) {
  const table = header.closest("table"), body = table.tBodies[0];
  const ascending = header.getAttribute("aria-sort") !== "ascending";
  for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
  header.setAttribute("aria-sort", ascending ? "ascending" : "descending");
  const value = (row) => row.cells[index].dataset.v ?? row.cells[index].textContent;
  const compare = (a, b) => {
    const [x, y] = [value(a), value(b)];
    if (x === "" || y === "") return (x === "") - (y === "");
    const order = isNaN(x) || isNaN(y) ? x.localeCompare(y) : x - y;
    return ascending ? order : -order;
  };
  body.append(...[...body.rows].sort(compare));
}
for (const button of document.querySelectorAll("[data-sort]")) {
  button.addEventListener("click", () => sortBy(button.closest("th"), Number(button.dataset.sort)));
}
})();
