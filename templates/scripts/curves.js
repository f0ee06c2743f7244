// Curves: the values of the nearest point, under the pointer or by the arrow keys.
const classifierNamed = (name) => data.classifiers.find((each) => each.name === name);
const plotOf = (group) => {
  const [x0, x1, left, right, y0, y1, bottom, top] = group.dataset.plot.split(" ").map(Number);
  const log = group.dataset.log === "x";
  const share = (x) => (log ? Math.log(x / x0) / Math.log(x1 / x0) : (x - x0) / (x1 - x0));
  const number = (part) => (log ? x0 * (x1 / x0) ** part : x0 + part * (x1 - x0));
  return {
    group, left, right, bottom, top,
    x: (at) => number((at - left) / (right - left)),
    y: (at) => y0 + ((bottom - at) / (bottom - top)) * (y1 - y0),
    place: (x, y) => [left + share(x) * (right - left), bottom - ((y - y0) / (y1 - y0)) * (bottom - top)],
    digits: [log ? 3 : Math.max(0, Math.floor(-Math.log10(Math.abs(x1 - x0) / Math.abs(right - left)))), Math.max(0, Math.floor(-Math.log10(Math.abs(y1 - y0) / Math.abs(bottom - top))))],
    labels: all("text.svg-text", group).slice(0, 2).map((label) => label.textContent),
  };
};
const pointsOf = (path) => {
  const points = [];
  let [x, y] = [0, 0];
  for (const [, letter, numbers] of path.getAttribute("d").matchAll(/([MLHV])([^MLHVZ]*)/g)) {
    const [first, second] = numbers.trim().split(/[ ,]+/).map(Number);
    if (letter === "V") y = first;
    else [x, y] = [first, letter === "H" ? y : second];
    points.push([x, y]);
  }
  return points;
};
// In the space of ROC curves the report's counts say exactly which threshold a point is.
const isRoc = (plot, series) => {
  const each = classifierNamed(series.name);
  if (!each?.scores || !each.counts) return false;
  const [tp, fn, fp, tn] = each.counts;
  return tp + fn > 0 && fp + tn > 0 && (plot.labels[0] ?? "").includes("1 \u2212 specificity");
};
const reading = (plot, series, [px, py]) => {
  const lines = [series.name];
  const said = (label, value) => lines.push(`${label}: ${value}`);
  if (series.roc) {
    const each = classifierNamed(series.name);
    const [tp, fn, fp, tn] = each.counts;
    const distance = (at) => { const [x, y] = plot.place(each.fps[at] / (fp + tn), each.tps[at] / (tp + fn)); return Math.hypot(x - px, y - py); };
    let best = 0;
    for (let at = 1; at < each.scores.length; at += 1) if (distance(at) < distance(best)) best = at;
    if (distance(best) < 2) {
      said("threshold", plain(Number(each.scores[best].toPrecision(4))));
      said(plot.labels[0], fixed(each.fps[best] / (fp + tn), 3));
      said(plot.labels[1], fixed(each.tps[best] / (tp + fn), 3));
      return { lines, at: plot.place(each.fps[best] / (fp + tn), each.tps[best] / (tp + fn)) };
    }
  }
  const x = plot.x(px);
  said(plot.labels[0] ?? "across", plot.group.dataset.log ? plain(Number(x.toPrecision(2))) : fixed(x, plot.digits[0]));
  said(plot.labels[1] ?? "up", fixed(plot.y(py), plot.digits[1]));
  return { lines, at: [px, py] };
};
const bubble = make("div", { class: "reading", hidden: true, "aria-hidden": "true" });
document.body.append(bubble);
const spot = document.createElementNS("http://www.w3.org/2000/svg", "circle");
spot.setAttribute("r", "4.5");
spot.setAttribute("class", "spot");
const forget = () => { bubble.hidden = true; spot.remove(); };
const showReading = (svg, plot, series, place) => {
  const { lines, at } = reading(plot, series, place);
  bubble.replaceChildren(...lines.map((line, index) => make(index ? "span" : "strong", {}, line)));
  bubble.hidden = false;
  spot.setAttribute("cx", at[0]);
  spot.setAttribute("cy", at[1]);
  plot.group.append(spot);
  const on = new DOMPoint(...at).matrixTransform(svg.getScreenCTM());
  const { width, height } = bubble.getBoundingClientRect();
  bubble.style.left = `${Math.max(4, Math.min(on.x + 12, innerWidth - width - 4))}px`;
  bubble.style.top = `${on.y - height - 12 < 4 ? on.y + 14 : on.y - height - 12}px`;
  return lines;
};
const REACH = 30;
const addReading = (svg) => {
  const plots = all("[data-plot]", svg).map((group) => {
    const plot = plotOf(group);
    plot.series = all("path[data-series]", group).map((path) => ({ name: path.dataset.series, points: pointsOf(path) }));
    plot.series.forEach((series) => { series.roc = isRoc(plot, series); });
    return plot;
  }).filter((plot) => plot.series.length);
  if (!plots.length) return;
  const curves = plots.flatMap((plot) => plot.series.map((series) => ({ plot, series })));
  const readAt = (event) => {
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
    let best = null;
    for (const { plot, series } of curves) {
      series.points.forEach((end, index) => {
        // Between two points the line is straight: the nearest place on it counts.
        const start = series.points[Math.max(0, index - 1)];
        const [dx, dy] = [end[0] - start[0], end[1] - start[1]];
        const length = dx * dx + dy * dy;
        const share = length ? Math.min(1, Math.max(0, ((at.x - start[0]) * dx + (at.y - start[1]) * dy) / length)) : 0;
        const place = [start[0] + share * dx, start[1] + share * dy];
        const away = Math.hypot(place[0] - at.x, place[1] - at.y);
        if (away < (best?.away ?? REACH)) best = { away, plot, series, place };
      });
    }
    if (best) showReading(svg, best.plot, best.series, best.place);
    else forget();
  };
  svg.addEventListener("pointermove", readAt);
  svg.addEventListener("pointerdown", readAt);
  svg.addEventListener("pointerleave", (event) => { if (event.pointerType !== "touch") forget(); });
  const frame = svg.closest(".scroll") ?? svg.parentElement;
  const title = svg.querySelector("title")?.textContent ?? "Figure";
  let [curve, index] = [0, -1];
  frame.tabIndex = 0;
  frame.dataset.read = "";
  frame.setAttribute("role", "group");
  frame.setAttribute("aria-label", `${title}: left and right arrow keys read the values, up and down change the curve`);
  frame.addEventListener("blur", forget);
  frame.addEventListener("keydown", (event) => {
    const moves = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0], Home: [0, -Infinity], End: [0, Infinity] }[event.key];
    if (event.key === "Escape") forget();
    if (!moves || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    curve = (curve + moves[0] + curves.length) % curves.length;
    const { plot, series } = curves[curve];
    index = Math.min(series.points.length - 1, Math.max(0, index + moves[1]));
    say(showReading(svg, plot, series, series.points[index]).join(", "));
  });
};
all("figure svg").forEach(addReading);
addEventListener("scroll", forget, { passive: true });
addEventListener("keydown", (event) => { if (event.key === "Escape") forget(); });

// Marks of how classifiers were used: they move along their curve with the threshold.
const spaces = [
  ({ tp, fn, fp, tn }) => [fp / (fp + tn), tp / (tp + fn)],
  ({ tp, fn, fp }) => [tp / (tp + fn), tp / (tp + fp)],
];
const rates = {
  Sensitivity: ({ tp, fn }) => tp / (tp + fn),
  Specificity: ({ fp, tn }) => tn / (fp + tn),
  Precision: ({ tp, fp }) => tp / (tp + fp),
};
// Over a threshold the mark also moves across; as predicted it is where it was drawn.
const spacesOf = (plot, drawn) => {
  const [across, up] = plot.labels;
  const rate = Object.keys(rates).find((name) => up?.startsWith(name));
  return across?.toLowerCase() === "threshold" && rate ? [(counts, threshold) => [threshold ?? plot.x(drawn), rates[rate](counts)]] : spaces;
};
const operating = all("[data-plot] .operating[data-series]").flatMap((mark) => {
  const plot = plotOf(mark.closest("[data-plot]"));
  const each = classifierNamed(mark.dataset.series);
  const drawn = all("path[data-series]", plot.group).some((path) => path.dataset.series === mark.dataset.series);
  if (!each?.scores || !drawn) return [];
  const box = mark.getBBox();
  const middle = [box.x + box.width / 2, box.y + box.height / 2];
  const found = spacesOf(plot, middle[0]).map((space) => ({ space, home: plot.place(...space(counted(each.counts))) })).find(({ home }) => Math.hypot(home[0] - middle[0], home[1] - middle[1]) < 2);
  return found ? [{ mark, plot, each, ...found }] : [];
});
const moveMarks = (countsOf, thresholdAt) => {
  for (const { mark, plot, each, space, home } of operating) {
    const [x, y] = plot.place(...space(countsOf(each), thresholdAt(each)));
    const inside = x >= plot.left - 1 && x <= plot.right + 1 && y <= plot.bottom + 1 && y >= plot.top - 1;
    // Where it was as predicted stays to be seen.
    if (!mark.ghost && Math.hypot(x - home[0], y - home[1]) > 0.5) {
      mark.ghost = mark.cloneNode();
      mark.ghost.setAttribute("class", `${mark.getAttribute("class")} ghost`);
      mark.before(mark.ghost);
    }
    mark.setAttribute("visibility", inside ? "visible" : "hidden");
    if (inside) mark.setAttribute("transform", `translate(${(x - home[0]).toFixed(2)} ${(y - home[1]).toFixed(2)})`);
  }
};
