// The page's switches, its tables and its downloads. Charts are drawn by Vega-Embed from the
// specifications and the data in the element #data; nothing here draws or computes a result.
(async () => {
"use strict";

const THEMES = {
  light: {page: "#ffffff", ink: "#1b1f24", faint: "#6b7480", line: "#e3e7eb", accent: "#005f94", good: "#00724f", warning: "#b00020"},
  dark: {page: "#16191d", ink: "#e7eaee", faint: "#98a2ad", line: "#333a43", accent: "#6fbcf0", good: "#4fd1a5", warning: "#ff8a94"},
};
const ERRORS_ONLY = 1; // a level of Vega's log
const FORMULA = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;
const FONT = getComputedStyle(document.body).fontFamily;

async function unpack(text) {
  const bytes = Uint8Array.from(atob(text.trim()), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

const payload = await unpack(document.getElementById("data").textContent);
const views = new Map();   // chart -> its Vega view
const drawing = new Map(); // chart -> promise of the drawing under way
const cache = new Map();   // data set -> rows
const state = {};
for (const key of Object.keys(payload.sections)) {
  state[key] = {basis: "expected", bands: true, muted: [], focus: "", logx: false, logy: false};
}

// ---- data
function rows(name) {
  if (!cache.has(name)) cache.set(name, name.endsWith("#wide") ? wide(name.slice(0, -5)) : long(name));
  return cache.get(name);
}

function long(name) {
  const columns = Object.entries(payload.data[name]);
  const count = columns.length ? columns[0][1].length : 0;
  return Array.from({length: count}, (_, i) => Object.fromEntries(columns.map(([c, v]) => [c, v[i]])));
}

// One row a round: what a tooltip lists.
function wide(name) {
  const found = new Map();
  for (const row of rows(name)) {
    const key = row.b + " " + row.t;
    if (!found.has(key)) found.set(key, {t: row.t, b: row.b, policies: {}});
    found.get(key).policies[row.p] = [row.mean, row.low, row.high];
  }
  return [...found.values()];
}

function sectionOf(chart) { return chart.split(".")[0]; }

// ---- charts
function theme() { return document.documentElement.dataset.theme; }

function colourOf(section, token) {
  const policy = payload.sections[section].policies.find((entry) => entry.p === token);
  return policy ? policy[theme()] : THEMES[theme()][token] || token;
}

// A specification with colours for tokens, scales as asked and the switches as they stand.
function specification(chart, place) {
  const section = sectionOf(chart), entry = payload.sections[section].charts[chart];
  const wanted = {...state[section], logy: state[section].logy || entry.log};
  const spec = structuredClone(entry.spec);
  const names = new Set(["zero", "policies"]);
  (function walk(node) {
    for (const [key, value] of Object.entries(node)) {
      if (key === "labelLimit") node[key] = Math.min(value, 0.45 * place.clientWidth);
      else if (typeof value === "string" && value.startsWith("@")) node[key] = colourOf(section, value.slice(1));
      else if (key === "data" && value && value.name) names.add(value.name);
      else if (value && typeof value === "object") {
        if (key === "x" && value.title === "round t" && value.scale && wanted.logx) value.scale.type = "log";
        if (key === "y" && value.scale && value.field === "mean" && wanted.logy) {
          value.scale.type = "log";
          delete value.scale.zero;
        }
        walk(value);
      }
    }
  })(spec);
  for (const parameter of spec.params || []) {
    if (parameter.name in wanted) parameter.value = wanted[parameter.name];
  }
  const special = {zero: [{y: 0}], policies: payload.sections[section].policies.map(({p, name}) => ({p, name}))};
  spec.datasets = Object.fromEntries([...names].map((name) => [name, special[name] || rows(name)]));
  return spec;
}

function config() {
  const c = THEMES[theme()];
  const axis = {labelColor: c.ink, titleColor: c.ink, gridColor: c.line, domainColor: c.faint, tickColor: c.faint,
    labelFontSize: 11, titleFontSize: 12, titleFontWeight: "normal"};
  return {background: "transparent", font: FONT, axis, view: {stroke: null},
    legend: {labelColor: c.ink, titleColor: c.ink, labelFontSize: 12}};
}

async function draw(chart) {
  const place = document.querySelector(`[data-chart="${CSS.escape(chart)}"]`);
  if (views.has(chart)) views.get(chart).finalize();
  const tooltip = {disableDefaultStyle: true, formatTooltip: (value, escape) => describe(sectionOf(chart), value, escape)};
  const made = await vegaEmbed(place, specification(chart, place), {actions: false, renderer: "svg", logLevel: ERRORS_ONLY, config: config(), tooltip});
  views.set(chart, made.view);
  place.classList.add("drawn");
}

// Drawings of one chart wait for each other; of several requests the last one counts.
function redraw(chart) {
  const next = (drawing.get(chart) || Promise.resolve()).then(() => draw(chart)).catch((error) => {
    console.error(chart, error);
  });
  drawing.set(chart, next);
  return next;
}

function number(x) {
  if (x === null || x === undefined) return "\u2013";
  const text = Math.abs(x) >= 9999.5 || Number.isInteger(x) ? Math.round(x).toLocaleString("en") : String(Number(x.toPrecision(4)));
  return text.replace("-", "\u2212");
}

function describe(section, value, valueToHtml) {
  const escape = (text) => String(text).replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
  if (!value || typeof value !== "object") return escape(value);
  if (!value.policies) {
    const lines = Object.entries(value).map(([name, text]) => `<tr><td>${escape(name)}</td><td>${escape(text)}</td></tr>`);
    return `<table>${lines.join("")}</table>`;
  }
  const heard = payload.sections[section].policies.filter(({p}) => value.policies[p] && !state[section].muted.includes(p));
  const lines = heard.map(({p, name}) => {
    const [mean, low, high] = value.policies[p];
    const interval = low === null ? "" : `${number(low)} to ${number(high)}`;
    return `<tr><td><i style="background:${colourOf(section, p)}"></i> ${escape(name)}</td>` +
      `<td class="number">${number(mean)}</td><td class="number soft">${interval}</td></tr>`;
  });
  return `round ${number(value.t)}, ${escape(value.b)}<table>${lines.join("")}</table>`;
}

// ---- switches
const chartsOf = (section) => Object.keys(payload.sections[section].charts);

function signal(section, name) {
  for (const chart of chartsOf(section)) {
    if (!views.has(chart)) continue;
    views.get(chart).signal(name, state[section][name]).runAsync();
  }
}

function setMuted(section, muted) {
  state[section].muted = muted;
  const place = document.getElementById(section);
  for (const button of place.querySelectorAll(".policy")) {
    button.setAttribute("aria-pressed", String(!muted.includes(button.dataset.policy)));
  }
  signal(section, "muted");
}

function focus(section, policy) {
  if (state[section].focus === policy) return;
  state[section].focus = policy;
  signal(section, "focus");
}

for (const place of document.querySelectorAll("[data-section]")) {
  const section = place.dataset.section, all = payload.sections[section].policies.map(({p}) => p);
  place.addEventListener("change", ({target}) => {
    const name = target.dataset.switch;
    if (!name) return;
    state[section][name] = target.type === "checkbox" ? target.checked : target.value;
    if (name.startsWith("log")) chartsOf(section).filter((chart) => views.has(chart)).forEach(redraw);
    else signal(section, name);
  });
  place.addEventListener("click", ({target}) => {
    const button = target.closest("button");
    if (!button) return;
    const {policy, act} = button.dataset, {muted} = state[section];
    if (policy) setMuted(section, muted.includes(policy) ? muted.filter((p) => p !== policy) : [...muted, policy]);
    if (act === "all") setMuted(section, []);
    if (act === "best") setMuted(section, all.filter((p) => !payload.sections[section].best.includes(p)));
    if (act === "reset") chartsOf(section).filter((chart) => views.has(chart)).forEach(redraw);
  });
  for (const button of place.querySelectorAll(".policy")) {
    for (const name of ["pointerenter", "focus"]) button.addEventListener(name, () => focus(section, button.dataset.policy));
    for (const name of ["pointerleave", "blur"]) button.addEventListener(name, () => focus(section, ""));
  }
}

// ---- files
function download(name, text, type) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], {type}));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  document.getElementById("status").textContent = `${name} was saved`;
}

// A text that a spreadsheet would take for a formula gets an apostrophe before it.
function csvCell(value) {
  if (value === null || value === undefined) return "";
  if (typeof value === "number") return String(value);
  const text = FORMULA.test(value) ? `'${value}` : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function chartCsv(chart) {
  const section = payload.sections[sectionOf(chart)], {labels, data} = section.charts[chart];
  const names = Object.fromEntries(section.policies.map(({p, name}) => [p, name]));
  const columns = Object.keys(payload.data[data[0]]);
  const lines = rows(data[0]).map((row) => columns.map((c) => csvCell(c === "p" ? names[row[c]] : row[c])));
  return [columns.map((c) => csvCell(labels[c] || c)), ...lines].map((line) => line.join(",")).join("\r\n") + "\r\n";
}

document.addEventListener("click", async ({target}) => {
  const button = target.closest("button");
  if (!button) return;
  const {file, csvOf, svgOf} = button.dataset;
  if (file) download(file, payload.files[file], "text/plain;charset=utf-8");
  const name = (chart) => payload.sections[sectionOf(chart)].charts[chart].file;
  if (csvOf) download(`${name(csvOf)}.csv`, chartCsv(csvOf), "text/csv;charset=utf-8");
  if (svgOf && views.has(svgOf)) download(`${name(svgOf)}.svg`, await views.get(svgOf).toSVG(), "image/svg+xml");
});

// ---- light and dark
const dark = matchMedia("(prefers-color-scheme: dark)");
function setTheme(name) {
  document.documentElement.dataset.theme = name;
  [...views.keys()].forEach(redraw);
}
document.getElementById("theme").addEventListener("click", () => setTheme(theme() === "dark" ? "light" : "dark"));
dark.addEventListener("change", () => setTheme(dark.matches ? "dark" : "light"));
setTheme(dark.matches ? "dark" : "light");

// ---- drawing: what is near the eye first, then the rest while the browser is idle
const everything = Object.keys(payload.sections).flatMap(chartsOf);
const idle = window.requestIdleCallback || ((f) => setTimeout(f, 30));
const watcher = new IntersectionObserver((entries) => {
  for (const {isIntersecting, target} of entries) {
    if (isIntersecting && !drawing.has(target.dataset.chart)) redraw(target.dataset.chart);
  }
}, {rootMargin: "300px"});
document.querySelectorAll("[data-chart]").forEach((place) => watcher.observe(place));
for (const chart of everything) {
  await new Promise((done) => idle(done));
  if (!drawing.has(chart)) await redraw(chart);
}
await Promise.all(drawing.values());
document.documentElement.dataset.drawn = String(views.size);
// Paper is light and narrower than a screen: charts are drawn for it, and afterwards for the screen.
// (A drawing waits for nothing but promises, so that it is there before the browser lays out paper.)
const root = document.documentElement;
let before = null;
addEventListener("beforeprint", () => {
  before = theme();
  root.dataset.paper = "";
  setTheme("light");
});
addEventListener("afterprint", () => {
  delete root.dataset.paper;
  if (before) setTheme(before);
});
})();
