// Decisions: expected cost at a cost ratio, the ranges in which a classifier costs least, ROC and histogram.
const withCounts = data.classifiers.filter((classifier) => classifier.counts);
const finite = (text) => { const number = Number(text); return text && text.trim() !== "" && Number.isFinite(number) ? number : null; };
const studyPrevalence = () => { const [tp, fn, fp, tn] = withCounts[0].counts; return (tp + fn) / (tp + fn + fp + tn); };
const currentPrevalence = () => {
  const number = finite(view.get("prevalence"));
  return number !== null && number > 0 && number < 1 ? number : null;
};
const usedPrevalence = () => currentPrevalence() ?? studyPrevalence();
const currentRatio = () => {
  const number = finite(view.get("cost"));
  return number !== null && number > 0 ? number : null;
};
const ratesOf = ({ tp, fn, fp, tn }) => [fp / (fp + tn), tp / (tp + fn)];
// Cost per case in units of a false positive.
const costPerCase = (counts, ratio, prevalence) => { const [fpr, tpr] = ratesOf(counts); return (1 - prevalence) * fpr + ratio * prevalence * (1 - tpr); };
// Expected counts and costs are those of so many cases that five or more are positive.
const casesPer = (prevalence) => (prevalence * 1000 >= 5 ? 1000 : prevalence * 10000 >= 5 ? 10000 : 100000);
const scaledCost = (counts, ratio, prevalence) => casesPer(prevalence) * data.unit * costPerCase(counts, ratio, prevalence);
const formatCost = (cost) => formatFixed(cost, Math.max(0, 2 - decimalExponent(cost)));
// The highest threshold of the lowest cost; infinite: nothing is positive.
const leastCostThreshold = (classifier, ratio, prevalence) => {
  const [tp, fn, fp, tn] = classifier.counts;
  const [missed, alarm] = [(ratio * prevalence) / (tp + fn), (1 - prevalence) / (fp + tn)];
  let [best, threshold] = [missed * (tp + fn), Infinity];
  classifier.tps.forEach((found, index) => {
    const cost = alarm * classifier.fps[index] + missed * (tp + fn - found);
    if (cost < best - 1e-12) [best, threshold] = [cost, classifier.scores[index]];
  });
  return threshold;
};
// The common convex hull of all ROC curves; an edge of slope m is crossed at a cost ratio of odds / m.
const rocPoints = (classifier) => {
  const [tp, fn, fp, tn] = classifier.counts;
  if (!classifier.scores) return [ratesOf(toCounts(classifier.counts))];
  return [[0, 0], ...classifier.tps.map((found, index) => [classifier.fps[index] / (fp + tn), found / (tp + fn)])];
};
const hullEdges = (classifiers) => {
  const points = [[0, 0, null], [1, 1, null], ...classifiers.flatMap((classifier) => rocPoints(classifier).map(([x, y]) => [x, y, classifier.name]))];
  points.sort((a, b) => a[0] - b[0] || a[1] - b[1] || (a[2] === null) - (b[2] === null));
  const hull = [];
  for (const point of points) {
    const last = hull[hull.length - 1];
    if (last && last[0] === point[0] && last[1] === point[1]) { if (point[2] !== null) last[2].push(point[2]); continue; }
    while (hull.length > 1) {
      const [[x0, y0], [x1, y1]] = hull.slice(-2);
      if ((x1 - x0) * (point[1] - y0) - (y1 - y0) * (point[0] - x0) < -1e-12) break;
      hull.pop();
    }
    hull.push([point[0], point[1], point[2] === null ? [] : [point[2]]]);
  }
  return hull;
};
const costRanges = (classifiers, prevalence) => {
  const hull = hullEdges(classifiers);
  const scale = (1 - prevalence) / prevalence;
  const limits = hull.slice(1).map(([x, y], index) => (y > hull[index][1] ? (scale * (x - hull[index][0])) / (y - hull[index][1]) : Infinity));
  const ranges = [];
  hull.forEach(([x, y, owners], index) => {
    const [low, high] = [index ? limits[index - 1] : 0, limits[index] ?? Infinity];
    if (high <= low * (1 + 1e-12)) return;
    const trivial = x === 0 && y === 0 ? "none" : x === 1 && y === 1 ? "all" : null;
    const names = trivial ? [] : owners;
    const shared = ranges.length ? ranges[ranges.length - 1].names.filter((name) => names.includes(name)) : [];
    ranges.push(shared.length ? { names: shared, trivial, low: ranges.pop().low, high } : { names, trivial, low, high });
  });
  return ranges;
};
const formatRatio = (ratio) => formatShortest(Number(ratio.toPrecision(2)));
const rangeText = ({ names: owners, trivial, low, high }) => {
  const who = owners.length ? owners.join(" or ") : `predicting ${trivial === "all" ? "every" : "no"} case as ${data.classes[0]}`;
  if (low === 0 && high === Infinity) return `${who} at every cost ratio`;
  return low === 0 ? `${who} up to ${formatRatio(high)}` : high === Infinity ? `${who} above ${formatRatio(low)}` : `${who} from ${formatRatio(low)} to ${formatRatio(high)}`;
};
const MAX_RANGES = 6;
const rangesSentence = (classifiers, prevalence) => {
  const texts = costRanges(classifiers, prevalence).map(rangeText);
  return `Lowest expected cost at the best thresholds, by cost ratio: ${texts.slice(0, MAX_RANGES).join("; ")}${texts.length > MAX_RANGES ? "; …" : ""}.`;
};
const winnerSentence = (classifiers, countsOf, ratio, prevalence) => {
  const costs = classifiers.map((classifier) => ({ name: classifier.name, cost: scaledCost(countsOf(classifier), ratio, prevalence) })).sort((a, b) => a.cost - b.cost);
  const best = costs.filter(({ cost }) => cost <= costs[0].cost * (1 + 1e-12)).map(({ name }) => name);
  const next = costs[best.length];
  const versus = next ? `, next ${next.name} ${formatCost(next.cost)}` : "";
  return `At a cost ratio of ${formatRatio(ratio)}: ${best.join(" and ")} ${best.length > 1 ? "cost" : "costs"} least, ${formatCost(costs[0].cost)} per ${formatFixed(casesPer(prevalence), 0)} cases${versus}.`;
};
// Small charts, drawn from the embedded counts.
const svgNode = (tag, attributes, ...children) => {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
};
const [CHART_WIDTH, CHART_HEIGHT, CHART_LEFT, CHART_TOP] = [300, 250, 42, 22];
const chartX = (share) => CHART_LEFT + share * (CHART_WIDTH - CHART_LEFT - 8);
const chartY = (share) => CHART_HEIGHT - 34 - share * (CHART_HEIGHT - 34 - CHART_TOP);
const pathOf = (points) => points.map(([x, y], index) => `${index ? "L" : "M"}${chartX(x).toFixed(1)} ${chartY(y).toFixed(1)}`).join("");
const chartFrame = (xLabel, yLabel, xTicks, yTicks) => [
  svgNode("path", { class: "svg-axis", fill: "none", stroke: "#586672", d: `M${chartX(0)} ${chartY(1)}V${chartY(0)}H${chartX(1)}` }),
  ...xTicks.map(([share, text]) => svgNode("text", { class: "svg-muted", fill: "#586672", x: chartX(share), y: chartY(0) + 14, "text-anchor": "middle" }, text)),
  ...yTicks.map(([share, text]) => svgNode("text", { class: "svg-muted", fill: "#586672", x: chartX(0) - 5, y: chartY(share) + 4, "text-anchor": "end" }, text)),
  svgNode("text", { class: "svg-text", fill: "#1b2732", x: chartX(0.5), y: CHART_HEIGHT - 4, "text-anchor": "middle" }, xLabel),
  svgNode("text", { class: "svg-text", fill: "#1b2732", x: 0, y: 12 }, yLabel),
];
const chartSvg = () => svgNode("svg", { viewBox: `0 0 ${CHART_WIDTH} ${CHART_HEIGHT}`, role: "img", "font-size": 11.5 });
const UNIT_TICKS = [0, 0.5, 1].map((share) => [share, formatShortest(share)]);
const buildRoc = (classifiers) => {
  const svg = chartSvg();
  svg.append(...chartFrame("1 \u2212 specificity", "Sensitivity", UNIT_TICKS, UNIT_TICKS), svgNode("path", { class: "svg-reference", fill: "none", stroke: "#7b8a96", "stroke-dasharray": "3 3", d: pathOf([[0, 0], [1, 1]]) }));
  const curves = classifiers.map((classifier) => {
    const points = rocPoints(classifier);
    // As many points as can be seen.
    const step = Math.max(1, Math.floor(points.length / 400));
    const path = svgNode("path", { class: `line ${classifier.shade}`, fill: "none", stroke: classifier.color, "stroke-width": 1.6, d: pathOf(points.filter((_, index) => index % step === 0 || index === points.length - 1)) });
    const marker = svgNode("circle", { class: `area ${classifier.shade} operating`, fill: classifier.color, stroke: "#1b2732", r: 5 }, svgNode("title", {}, classifier.name));
    return { classifier, path, marker };
  });
  svg.append(...curves.map(({ path }) => path), ...curves.map(({ marker }) => marker));
  return { svg, update: (countsOf, visible) => {
    for (const { classifier, path, marker } of curves) {
      const [x, y] = ratesOf(countsOf(classifier));
      [path, marker].forEach((node) => node.setAttribute("visibility", visible.includes(classifier) ? "visible" : "hidden"));
      marker.setAttribute("cx", chartX(x).toFixed(1));
      marker.setAttribute("cy", chartY(y).toFixed(1));
    }
    svg.setAttribute("aria-label", `ROC curves. ${visible.map((classifier) => { const [x, y] = ratesOf(countsOf(classifier)); return `${classifier.name}: sensitivity ${formatProportion(y)}, specificity ${formatProportion(1 - x)}`; }).join("; ")}`);
  } };
};
const HISTOGRAM_BINS = 20;
const buildHistogram = () => {
  const svg = chartSvg();
  return { svg, update: (classifier, threshold) => {
    const axis = data.axes[classifier.axis];
    const [low, high] = [axis.classifier === null ? axis.low : classifier.scores[classifier.scores.length - 1], axis.classifier === null ? axis.high : classifier.scores[0]];
    const shareOf = (score) => (high > low ? (score - low) / (high - low) : 0.5);
    const bins = Array.from({ length: HISTOGRAM_BINS }, () => [0, 0]);
    classifier.scores.forEach((score, index) => {
      const bin = bins[Math.min(HISTOGRAM_BINS - 1, Math.max(0, Math.floor(shareOf(score) * HISTOGRAM_BINS)))];
      bin[0] += classifier.tp[index] ?? 0;
      bin[1] += classifier.fp[index] ?? 0;
    });
    // Each class by its own share, so that a rare class is visible.
    const totals = [0, 1].map((side) => bins.reduce((sum, bin) => sum + bin[side], 0) || 1);
    const top = Math.max(...bins.flatMap((bin) => bin.map((count, side) => count / totals[side])));
    const bar = (side) => bins.map((bin, index) => {
      const height = bin[side] / totals[side] / top;
      const left = (index + (side ? 0.5 : 0.05)) / HISTOGRAM_BINS;
      return height ? `M${chartX(left).toFixed(1)} ${chartY(0)}V${Math.min(chartY(height), chartY(0) - 0.8).toFixed(1)}H${chartX(left + 0.45 / HISTOGRAM_BINS).toFixed(1)}V${chartY(0)}Z` : "";
    }).join("");
    const at = threshold === null || !Number.isFinite(threshold) ? null : Math.min(1, Math.max(0, shareOf(threshold)));
    svg.replaceChildren(
      ...chartFrame(`Score of ${classifier.name}`, "Share of its class", [[0, formatShortest(Number(low.toPrecision(2)))], [1, formatShortest(Number(high.toPrecision(2)))]], [[0, "0"], [1, formatPercent(top)]]),
      svgNode("path", { class: "area s1", fill: "#d55e00", d: bar(0) }),
      svgNode("path", { class: "area s0", fill: "#0072b2", d: bar(1) }),
      ...(at === null ? [] : [svgNode("path", { class: "svg-text-line", stroke: "currentColor", "stroke-width": 1.5, d: `M${chartX(at).toFixed(1)} ${chartY(1.04)}V${chartY(0)}` })]),
    );
    svg.setAttribute("aria-label", `Histogram of the scores of ${classifier.name}: orange ${data.classes[0]}, blue ${data.classes[1]}${threshold === null ? "" : `; threshold ${formatThreshold(threshold)}`}`);
  } };
};
const formatPercent = (proportion) => {
  const percent = 100 * proportion;
  if (isInteger(proportion) || (percent >= 0.5 && percent < 99.5)) return `${formatFixed(percent, 0)}%`;
  return `${percent < 0.05 ? `<0${point}1` : percent >= 99.95 ? `>99${point}9` : formatFixed(percent, 1)}%`;
};
const formatThreshold = (threshold) => (!Number.isFinite(threshold) ? "\u221e" : threshold !== 0 && Math.abs(threshold) < 1e-4 ? formatAnyMagnitude(threshold) : formatShortest(Number(threshold.toPrecision(4))));
