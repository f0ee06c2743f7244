// Curves: the values of the nearest point, under the pointer or by the arrow keys.
const classifierNamed = (name) => data.classifiers.find((classifier) => classifier.name === name);
const plotOf = (group) => {
  const [x0, x1, left, right, y0, y1, bottom, top] = group.dataset.plot.split(" ").map(Number);
  const log = group.dataset.log === "x";
  const fraction = (x) => (log ? Math.log(x / x0) / Math.log(x1 / x0) : (x - x0) / (x1 - x0));
  const number = (part) => (log ? x0 * (x1 / x0) ** part : x0 + part * (x1 - x0));
  return {
    group, left, right, bottom, top,
    x: (px) => number((px - left) / (right - left)),
    y: (py) => y0 + ((bottom - py) / (bottom - top)) * (y1 - y0),
    position: (x, y) => [left + fraction(x) * (right - left), bottom - ((y - y0) / (y1 - y0)) * (bottom - top)],
    digits: [log ? 3 : Math.max(0, Math.floor(-Math.log10(Math.abs(x1 - x0) / Math.abs(right - left)))), Math.max(0, Math.floor(-Math.log10(Math.abs(y1 - y0) / Math.abs(bottom - top))))],
    labels: group.dataset.labels?.split("|") ?? all("text.svg-text", group).slice(0, 2).map((label) => label.textContent),
  };
};
const pointsOf = (path) => {
  const points = [];
  let [x, y] = [0, 0];
  for (const [, command, numbers] of path.getAttribute("d").matchAll(/([MLHV])([^MLHVZ]*)/g)) {
    const [first, second] = numbers.trim().split(/[ ,]+/).map(Number);
    if (command === "V") y = first;
    else [x, y] = [first, command === "H" ? y : second];
    points.push([x, y]);
  }
  return points;
};
// In ROC space the counts of the report give the exact threshold of a point.
const isRoc = (plot, series) => {
  const classifier = classifierNamed(series.name);
  if (!classifier?.scores || !classifier.counts) return false;
  const [tp, fn, fp, tn] = classifier.counts;
  return tp + fn > 0 && fp + tn > 0 && (plot.labels[0] ?? "").includes("1 \u2212 specificity");
};
const tooltipContent = (plot, series, [px, py]) => {
  const lines = [series.name];
  const addLine = (label, value) => lines.push(`${label}: ${value}`);
  if (series.roc) {
    const classifier = classifierNamed(series.name);
    const [tp, fn, fp, tn] = classifier.counts;
    const distance = (index) => { const [x, y] = plot.position(classifier.fps[index] / (fp + tn), classifier.tps[index] / (tp + fn)); return Math.hypot(x - px, y - py); };
    let best = 0;
    for (let index = 1; index < classifier.scores.length; index += 1) if (distance(index) < distance(best)) best = index;
    if (distance(best) < 2) {
      addLine("threshold", formatShortest(Number(classifier.scores[best].toPrecision(4))));
      addLine(plot.labels[0], formatFixed(classifier.fps[best] / (fp + tn), 3));
      addLine(plot.labels[1], formatFixed(classifier.tps[best] / (tp + fn), 3));
      return { lines, center: plot.position(classifier.fps[best] / (fp + tn), classifier.tps[best] / (tp + fn)) };
    }
  }
  const x = plot.x(px);
  addLine(plot.labels[0] ?? "x", plot.group.dataset.log ? formatShortest(Number(x.toPrecision(2))) : formatFixed(x, plot.digits[0]));
  addLine(plot.labels[1] ?? "y", formatFixed(plot.y(py), plot.digits[1]));
  return { lines, center: [px, py] };
};
const tooltip = element("div", { class: "reading", hidden: true, "aria-hidden": "true" });
document.body.append(tooltip);
const highlight = document.createElementNS("http://www.w3.org/2000/svg", "circle");
highlight.setAttribute("r", "4.5");
highlight.setAttribute("class", "spot");
const hideTooltip = () => { tooltip.hidden = true; highlight.remove(); };
const showTooltip = (plot, series, position) => {
  const { lines, center } = tooltipContent(plot, series, position);
  tooltip.replaceChildren(...lines.map((line, index) => element(index ? "span" : "strong", {}, line)));
  tooltip.hidden = false;
  highlight.setAttribute("cx", center[0]);
  highlight.setAttribute("cy", center[1]);
  plot.group.append(highlight);
  const screenPoint = new DOMPoint(...center).matrixTransform(plot.group.getScreenCTM());
  const { width, height } = tooltip.getBoundingClientRect();
  tooltip.style.left = `${Math.max(4, Math.min(screenPoint.x + 12, innerWidth - width - 4))}px`;
  tooltip.style.top = `${screenPoint.y - height - 12 < 4 ? screenPoint.y + 14 : screenPoint.y - height - 12}px`;
  return lines;
};
const MAX_POINTER_DISTANCE = 30;
const addTooltip = (svg) => {
  const plots = all("[data-plot]", svg).map((group) => {
    const plot = plotOf(group);
    plot.series = all("path[data-series]", group).map((path) => ({ name: path.dataset.series, points: pointsOf(path) }));
    plot.series.forEach((series) => { series.roc = isRoc(plot, series); });
    return plot;
  }).filter((plot) => plot.series.length);
  if (!plots.length) return;
  const curves = plots.flatMap((plot) => plot.series.map((series) => ({ plot, series })));
  const onPointer = (event) => {
    const pointers = new Map(plots.map((plot) => [plot, new DOMPoint(event.clientX, event.clientY).matrixTransform(plot.group.getScreenCTM().inverse())]));
    let best = null;
    for (const { plot, series } of curves) {
      const pointer = pointers.get(plot);
      series.points.forEach((end, index) => {
        // The nearest position on the segment between two points.
        const start = series.points[Math.max(0, index - 1)];
        const [dx, dy] = [end[0] - start[0], end[1] - start[1]];
        const length = dx * dx + dy * dy;
        const fraction = length ? Math.min(1, Math.max(0, ((pointer.x - start[0]) * dx + (pointer.y - start[1]) * dy) / length)) : 0;
        const position = [start[0] + fraction * dx, start[1] + fraction * dy];
        const distance = Math.hypot(position[0] - pointer.x, position[1] - pointer.y);
        if (distance < (best?.distance ?? MAX_POINTER_DISTANCE)) best = { distance, plot, series, position };
      });
    }
    if (best) showTooltip(best.plot, best.series, best.position);
    else hideTooltip();
  };
  svg.addEventListener("pointermove", onPointer);
  svg.addEventListener("pointerdown", onPointer);
  svg.addEventListener("pointerleave", (event) => { if (event.pointerType !== "touch") hideTooltip(); });
  const frame = svg.closest(".scroll") ?? svg.parentElement;
  const title = svg.querySelector("title")?.textContent ?? "Figure";
  let [curve, index] = [0, -1];
  frame.tabIndex = 0;
  frame.dataset.read = "";
  frame.setAttribute("role", "group");
  frame.setAttribute("aria-label", `${title}: left and right arrow keys read the values, up and down change the curve`);
  frame.addEventListener("blur", hideTooltip);
  frame.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0], Home: [0, -Infinity], End: [0, Infinity] }[event.key];
    if (event.key === "Escape") hideTooltip();
    if (!step || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    curve = (curve + step[0] + curves.length) % curves.length;
    const { plot, series } = curves[curve];
    index = Math.min(series.points.length - 1, Math.max(0, index + step[1]));
    announce(showTooltip(plot, series, series.points[index]).join(", "));
  });
};
all("figure svg:not(.narrow)").forEach(addTooltip);
addEventListener("scroll", hideTooltip, { passive: true });
addEventListener("keydown", (event) => { if (event.key === "Escape") hideTooltip(); });

// Operating points: their markers move along the curves with the threshold.
const coordinateSystems = [
  ({ tp, fn, fp, tn }) => [fp / (fp + tn), tp / (tp + fn)],
  ({ tp, fn, fp }) => [tp / (tp + fn), tp / (tp + fp)],
];
const rates = {
  Sensitivity: ({ tp, fn }) => tp / (tp + fn),
  Specificity: ({ fp, tn }) => tn / (fp + tn),
  Precision: ({ tp, fp }) => tp / (tp + fp),
};
// Where the x-axis is the threshold, the marker moves along it too; initially it is where it was drawn.
const coordinateSystemsOf = (plot, drawnX) => {
  const [xLabel, yLabel] = plot.labels;
  const rate = Object.keys(rates).find((name) => yLabel?.startsWith(name));
  return xLabel?.toLowerCase() === "threshold" && rate ? [(counts, threshold) => [threshold ?? plot.x(drawnX), rates[rate](counts)]] : coordinateSystems;
};
const operatingPoints = all("[data-plot] .operating[data-series]").flatMap((marker) => {
  const plot = plotOf(marker.closest("[data-plot]"));
  const classifier = classifierNamed(marker.dataset.series);
  const hasCurve = all("path[data-series]", plot.group).some((path) => path.dataset.series === marker.dataset.series);
  if (!classifier?.scores || !hasCurve) return [];
  const box = marker.getBBox();
  const middle = [box.x + box.width / 2, box.y + box.height / 2];
  const match = coordinateSystemsOf(plot, middle[0]).map((coordinates) => ({ coordinates, origin: plot.position(...coordinates(toCounts(classifier.counts))) })).find(({ origin }) => Math.hypot(origin[0] - middle[0], origin[1] - middle[1]) < 2);
  return match ? [{ marker, plot, classifier, ...match }] : [];
});
const moveOperatingPoints = (countsOf, thresholdAt) => {
  for (const { marker, plot, classifier, coordinates, origin } of operatingPoints) {
    const [x, y] = plot.position(...coordinates(countsOf(classifier), thresholdAt(classifier)));
    const inside = x >= plot.left - 1 && x <= plot.right + 1 && y <= plot.bottom + 1 && y >= plot.top - 1;
    // A ghost stays at the original operating point.
    if (!marker.ghost && Math.hypot(x - origin[0], y - origin[1]) > 0.5) {
      marker.ghost = marker.cloneNode();
      marker.ghost.setAttribute("class", `${marker.getAttribute("class")} ghost`);
      marker.before(marker.ghost);
    }
    marker.setAttribute("visibility", inside ? "visible" : "hidden");
    if (inside) marker.setAttribute("transform", `translate(${(x - origin[0]).toFixed(2)} ${(y - origin[1]).toFixed(2)})`);
  }
};
