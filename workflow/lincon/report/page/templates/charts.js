// Charts as SVG, drawn by hand: curves over the rounds, and the plane of regret against shortfall.
// Labels are put in as text nodes only. Colours are CSS variables (--p0, --ink, ...), so that light,
// dark and paper need no redrawing.
const Charts = (() => {
"use strict";
const NS = "http://www.w3.org/2000/svg";
const FONT = 12;

function node(name, attributes = {}, text) {
  const made = document.createElementNS(NS, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (name === "text" && attributes.fill) made.style.fill = attributes.fill; // above the style sheet's
  if (text !== undefined) made.textContent = text;
  return made;
}

function number(x) {
  if (x === null || x === undefined) return "\u2013";
  const whole = Math.abs(x) >= 999.95 || Number.isInteger(x);
  const text = whole ? Math.round(x).toLocaleString("en") : String(Number(x.toPrecision(4)));
  return text.replace("-", "\u2212");
}

// Round numbers between two ends: about `count` of them, or powers of ten on a log axis.
function ticks(low, high, log, count) {
  if (log) {
    const found = [], decades = Math.log10(high / low);
    for (let e = Math.floor(Math.log10(low)); e <= Math.log10(high); e += Math.max(1, Math.ceil(decades / count))) {
      for (const m of decades < 2.2 ? [1, 3] : [1]) {
        const x = m * 10 ** e;
        if (x >= low * 0.999 && x <= high * 1.001) found.push(x);
      }
    }
    return found;
  }
  const raw = (high - low) / count, power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 2.5, 5, 10].map((m) => m * power).find((s) => s >= raw);
  const found = [];
  for (let x = Math.ceil(low / step) * step; x <= high + 1e-9 * step; x += step) found.push(Math.abs(x) < 1e-9 * step ? 0 : x);
  return found;
}

function scale([low, high], [from, to], log) {
  const f = log ? Math.log : (x) => x, a = f(low), b = f(high);
  return (x) => from + (to - from) * (f(x) - a) / (b - a || 1);
}

// An empty chart with its axes; returns what is needed to draw into it.
function frame(place, {height, x, y, right, logx, logy, xlabel, ylabel}) {
  const width = Math.max(place.clientWidth, 240);
  const svg = node("svg", {viewBox: `0 0 ${width} ${height}`, width: "100%", height, "font-size": FONT});
  const yticks = ticks(...y, logy, 4), room = Math.max(...yticks.map((t) => number(t).length)) * 7 + 30;
  const box = {left: room, right: width - right, top: 10, bottom: height - 40};
  const sx = scale(x, [box.left, box.right], logx), sy = scale(y, [box.bottom, box.top], logy);
  const axes = node("g", {class: "axes"});
  for (const t of yticks) {
    axes.append(node("line", {x1: box.left, x2: box.right, y1: sy(t), y2: sy(t), class: "grid"}),
      node("text", {x: box.left - 6, y: sy(t) + 4, "text-anchor": "end"}, number(t)));
  }
  const across = ticks(...x, logx, Math.max(2, Math.floor((box.right - box.left) / 80)));
  for (const t of across) {
    axes.append(node("text", {x: sx(t), y: box.bottom + 16, "text-anchor": "middle"}, number(t)),
      node("line", {x1: sx(t), x2: sx(t), y1: box.bottom, y2: box.bottom + 4, class: "tick"}));
  }
  axes.append(node("line", {x1: box.left, x2: box.right, y1: box.bottom, y2: box.bottom, class: "tick"}),
    node("text", {x: (box.left + box.right) / 2, y: height - 6, "text-anchor": "middle", class: "soft"}, xlabel),
    node("text", {x: 0, y: 0, transform: `translate(12 ${(box.top + box.bottom) / 2}) rotate(-90)`, "text-anchor": "middle", class: "soft"}, ylabel));
  const id = `clip-${++frame.count}`, clip = node("clipPath", {id});
  clip.append(node("rect", {x: box.left, y: box.top - 4, width: box.right - box.left + 2, height: box.bottom - box.top + 8}));
  const inside = node("g", {"clip-path": `url(#${id})`});
  svg.append(clip, axes, inside);
  place.replaceChildren(svg);
  return {svg, inside, sx, sy, box, width};
}
frame.count = 0;

// Places at least `gap` apart, as near as can be to those wanted, between low and high.
function spread(wanted, gap, low, high) {
  const order = wanted.map((_, i) => i).sort((a, b) => wanted[a] - wanted[b]);
  const placed = [...wanted];
  order.forEach((i, k) => { placed[i] = Math.max(placed[i], k ? placed[order[k - 1]] + gap : low); });
  for (let k = order.length - 1, top = high; k >= 0; top = placed[order[k]] - gap, k--) placed[order[k]] = Math.min(placed[order[k]], top);
  return placed;
}

const cut = (text, letters) => text.length > letters ? text.slice(0, letters - 1).trimEnd() + "\u2026" : text;
const ink = (policy) => policy.shown ? `var(--${policy.p})` : "var(--faint)";

// chart: {t, curves: {p: [mean, low, high]}, ylabel}; policies in drawing order.
function curves(place, chart, policies, {logx, logy, bands, skip}) {
  const known = policies.filter(({p}) => chart.curves[p]);
  const scaled = known.filter((policy) => policy.shown && !policy.reference);
  const values = (scaled.length ? scaled : known).flatMap(({p}) => chart.curves[p].slice(0, bands ? 3 : 1)
    .flatMap((row) => row.filter((v, i) => v !== null && chart.t[i] >= skip && (!logy || v > 0))));
  if (!values.length) { place.replaceChildren(Object.assign(document.createElement("p"), {className: "soft", textContent: "Not defined here."})); return; }
  const last = chart.t[chart.t.length - 1], highest = Math.max(...values);
  const bottom = logy ? Math.max(Math.min(...values), highest / 1e6) : Math.min(0, ...values);
  const top = highest > bottom ? highest : bottom + 1; // curves that are zero throughout
  const x = [logx ? Math.max(1, chart.t[0]) : 0, last], y = [logy ? bottom * 0.8 : bottom - 0.02 * (top - bottom), logy ? top * 1.2 : top + 0.04 * (top - bottom)];
  const letters = Math.min(26, Math.floor(place.clientWidth / 17));
  const named = known.filter((policy) => policy.shown);
  const right = 14 + 6.6 * Math.min(letters, Math.max(...named.map(({name}) => name.length), 0));
  const view = frame(place, {height: 250, x, y, right, logx, logy, xlabel: "round t", ylabel: chart.ylabel});
  const {inside, sx, sy, box, svg} = view;
  const points = (row) => row.map((v, i) => v === null || (logy && v <= 0) || (logx && chart.t[i] < x[0]) ? null : [sx(chart.t[i]), sy(v)]);
  const path = (row) => points(row).reduce((d, p, i, all) => p ? `${d}${i && all[i - 1] ? "L" : "M"}${p[0].toFixed(1)} ${p[1].toFixed(1)}` : d, "");
  for (const policy of known) {
    const [mean, low, high] = chart.curves[policy.p];
    if (bands && policy.shown && !policy.reference && low.some((v) => v !== null)) {
      const back = points(low).map((p, i) => p || points(mean)[i]).filter(Boolean).reverse();
      inside.append(node("path", {d: `${path(high)}${back.map((p) => `L${p[0].toFixed(1)} ${p[1].toFixed(1)}`).join("")}Z`, fill: ink(policy), opacity: 0.15}));
    }
    inside.append(node("path", {d: path(mean), fill: "none", stroke: policy.shown ? ink(policy) : "var(--greyline)", "data-p": policy.p, class: "curve",
      "stroke-width": policy.shown ? 2 : 1, "stroke-dasharray": policy.dash.map((d) => d * 1.4).join(" ")}));
  }
  const ends = named.map(({p}) => [...chart.curves[p][0]].reverse().find((v) => v !== null));
  const wanted = ends.map((v) => v === undefined ? box.bottom : Math.min(box.bottom, Math.max(box.top, sy(logy && v <= 0 ? y[0] : v))));
  spread(wanted, FONT + 1, box.top, box.bottom - 1).forEach((at, i) => {
    svg.append(node("line", {x1: box.right + 1, y1: wanted[i], x2: box.right + 8, y2: at, stroke: ink(named[i]), "stroke-width": 0.8}),
      node("text", {x: box.right + 10, y: at + 4, fill: ink(named[i])}, cut(named[i].name, letters)));
  });
  return view;
}

// points: [{p, x, x_low, x_high, y, y_low, y_high}]
function plane(place, {points, xlabel, ylabel}, policies) {
  const ends = (some, axis) => [0, ...some.flatMap((q) => [q[axis], q[`${axis}_low`], q[`${axis}_high`]]).filter((v) => v !== null)];
  const padded = (all) => { const a = Math.min(...all), b = Math.max(...all), pad = 0.12 * (b - a) || 1; return [a - pad, b + pad]; };
  // Grey policies that are far away would press the others together: they may leave the chart.
  const near = points.filter(({p}) => policies.find((policy) => policy.p === p && policy.shown));
  const [x, y] = ["x", "y"].map((axis) => padded(ends(near.length ? near : points, axis)));
  const outside = points.filter((q) => q.x < x[0] || q.x > x[1] || q.y < y[0] || q.y > y[1]).length;
  const view = frame(place, {height: place.clientHeight || 380, x, y, right: 14, xlabel, ylabel});
  const {svg, inside, sx, sy, box} = view;
  inside.append(node("rect", {x: box.left, y: box.top - 4, width: Math.max(0, sx(0) - box.left), height: box.bottom - box.top + 8, class: "keptside"}),
    node("line", {x1: sx(0), x2: sx(0), y1: box.top, y2: box.bottom, class: "tick"}),
    node("line", {x1: box.left, x2: box.right, y1: sy(0), y2: sy(0), class: "tick"}));
  svg.append(node("text", {x: box.left + 4, y: box.top + 9, class: "keptword"}, "kept"));
  if (outside) svg.append(node("text", {x: box.right, y: box.bottom - 6, "text-anchor": "end", class: "halo"}, `${outside} more beyond this view`));
  const taken = [[box.left, box.top - 4, box.left + 34, box.top + 12]];
  const placed = [];
  for (const policy of policies) {
    const q = points.find(({p}) => p === policy.p);
    if (!q) continue;
    const [cx, cy] = [sx(q.x), sy(q.y)], style = {stroke: ink(policy), "stroke-width": 1.4};
    if (q.x_low !== null) inside.append(node("line", {x1: sx(q.x_low), x2: sx(q.x_high), y1: cy, y2: cy, ...style}));
    if (q.y_low !== null) inside.append(node("line", {x1: cx, x2: cx, y1: sy(q.y_low), y2: sy(q.y_high), ...style}));
    inside.append(policy.reference
      ? node("path", {d: `M${cx - 6} ${cy}L${cx} ${cy - 6}L${cx + 6} ${cy}L${cx} ${cy + 6}Z`, fill: ink(policy), "data-p": policy.p, class: "point"})
      : node("circle", {cx, cy, r: policy.shown ? 5.5 : 4, fill: ink(policy), "data-p": policy.p, class: "point"}));
    taken.push([cx - 7, cy - 7, cx + 7, cy + 7]);
    if (q.x_low !== null) taken.push([sx(q.x_low), cy - 2, sx(q.x_high), cy + 2]);
    if (q.y_low !== null) taken.push([cx - 2, sy(q.y_high), cx + 2, sy(q.y_low)]);
    if (cx >= box.left && cx <= box.right && cy >= box.top - 4 && cy <= box.bottom + 4) placed.push([policy, cx, cy]);
  }
  const overlap = (a) => taken.reduce((sum, b) => sum + Math.max(0, Math.min(a[2], b[2]) - Math.max(a[0], b[0])) * Math.max(0, Math.min(a[3], b[3]) - Math.max(a[1], b[1])), 0)
    + 50 * (Math.max(0, box.left - a[0]) + Math.max(0, a[2] - box.right) + Math.max(0, box.top - 4 - a[1]) + Math.max(0, a[3] - box.bottom));
  for (const [policy, cx, cy] of placed.sort((a, b) => b[0].shown - a[0].shown)) {
    if (!policy.shown && placed.length > 12) continue;
    const text = cut(policy.name, 24), w = 6.6 * text.length, h = 14;
    let best = null;
    for (const far of [9, 20, 34, 50, 70]) {
      for (const [dx, dy] of [[1, -0.7], [1, 0.7], [-1, -0.7], [-1, 0.7], [1, 0], [-1, 0], [0, -1], [0, 1]]) {
        const x0 = cx + dx * far - (dx < 0 ? w : dx === 0 ? w / 2 : 0), y0 = cy + dy * far - h / 2;
        const cost = 2 * overlap([x0, y0, x0 + w, y0 + h]) + far;
        if (!best || cost < best.cost) best = {cost, x0, y0, far, dx, dy};
      }
    }
    if (best.cost > 800 && !policy.shown) continue;
    taken.push([best.x0, best.y0, best.x0 + w, best.y0 + h]);
    if (best.far > 9) svg.append(node("line", {x1: cx, y1: cy, x2: cx + best.dx * best.far, y2: cy + best.dy * best.far, stroke: ink(policy), "stroke-width": 0.7}));
    svg.append(node("text", {x: best.x0, y: best.y0 + 11, fill: ink(policy), class: "halo"}, text));
  }
  return view;
}

return {curves, plane, number};
})();
