// What-if section: measures at another threshold or prevalence, computed from the report's counts.
const section = document.getElementById("what-if");
const partNamed = (name) => section.querySelector(`[data-part="${name}"]`);
const axisKey = (axis) => (axis.classifier === null ? "threshold" : `threshold.${axis.classifier}`);
const nearest = (stops, number) => {
  const index = countAtLeast(stops, number);
  const [above, below] = [stops[Math.max(0, index - 1)], stops[Math.min(stops.length - 1, index)]];
  return Math.abs(above - number) <= Math.abs(below - number) ? above : below;
};
const thresholdOf = (axis) => {
  const number = finite(view.get(axisKey(axis)));
  return number === null ? null : axis.stops ? nearest(axis.stops, number) : number;
};
// A threshold of its own, the common one, or that of the lowest cost; null: as submitted.
const ownKey = (classifier) => `threshold.${classifier.name}`;
const chosenThreshold = (classifier) => {
  if (classifier.axis === undefined) return null;
  const axis = data.axes[classifier.axis];
  const own = finite(view.get(ownKey(classifier)));
  if (own !== null) return axis.stops ? nearest(axis.stops, own) : own;
  const common = thresholdOf(axis);
  if (common !== null) return common;
  const ratio = currentRatio();
  return ratio === null ? null : leastCostThreshold(classifier, ratio, usedPrevalence());
};
const currentCounts = (classifier) => countsAt(classifier, chosenThreshold(classifier));
const fillCell = (cell, value, measure, changeText) => {
  cell.dataset.v = Number.isNaN(value) ? "" : value;
  cell.replaceChildren(element("span", { class: Number.isNaN(value) ? "undefined" : "nowrap" }, formatValue(value, measure)));
  if (changeText) cell.append(element("small", { class: "change" }, changeText));
};
const symbolOf = ([base, below, above]) => element("span", { class: "symbol" }, " ", base.length > 1 ? base : element("i", {}, base), below ? element("sub", {}, below) : "", above ? element("sup", {}, above) : "");
// Of many measures only the common ones are shown; the others on request.
const MAX_MEASURES = 9;
const commonMeasures = ["accuracy", "sensitivity", "specificity", "precision", "npv", "f1", "youden", "kappa", "kappa_best", "mcc"];
const isHiddenMeasure = (measure, measures) => measures.length > MAX_MEASURES && !commonMeasures.includes(measure.name) && !view.has("all");
// A table of measures by classifier: built once, filled again at every change.
const measureTable = (name, caption, measures, last) => {
  const heads = withCounts.map((classifier) => element("th", { scope: "col", class: "numeric" }, classifier.name));
  const lastHead = element("th", { scope: "col", class: last.numeric ? "numeric" : null }, typeof last.head === "function" ? "" : last.head);
  const rows = measures.map((measure) => {
    const title = [measure.title, measure.symbol && symbolOf(measure.symbol), measure.orientation ? element("span", { class: "arrow", "aria-hidden": "true" }, measure.orientation > 0 ? "\u00a0\u2191" : "\u00a0\u2193") : null, measure.orientation ? element("span", { class: "visually-hidden" }, measure.orientation > 0 ? " higher is better" : " lower is better") : null];
    const entry = { measure, values: withCounts.map(() => element("td", { class: "numeric" })), last: element("td", { class: last.numeric ? "numeric" : null }) };
    entry.row = element("tr", { "data-measure": measure.name }, element("th", { scope: "row" }, ...title.filter(Boolean)), ...entry.values, entry.last);
    return entry;
  });
  const table = element("table", {}, element("caption", {}, caption), element("thead", {}, element("tr", {}, element("th", { scope: "col" }, "Measure"), ...heads, lastHead)), element("tbody", {}, ...rows.map((entry) => entry.row)));
  // A reason is longer than a cell is wide.
  const reasons = element("p", { class: "legend" });
  partNamed(name).append(element("div", { class: "scroll", role: "group", "aria-label": caption, tabindex: "0" }, table), reasons);
  const toggle = element("button", { type: "button", "aria-expanded": "false", onclick: () => updateView({ all: view.has("all") ? null : 1 }) });
  if (measures.some((measure) => !commonMeasures.includes(measure.name)) && measures.length > MAX_MEASURES) partNamed(name).append(element("p", { class: "controls" }, toggle));
  return {
    fill: (countsOf, changeTextOf, lastOf) => {
      toggle.textContent = view.has("all") ? "Show common measures" : `Show all ${measures.length} measures`;
      toggle.setAttribute("aria-expanded", view.has("all"));
      rows.forEach(({ row, measure }) => { row.hidden = isHiddenMeasure(measure, measures); });
      const pair = selectedPair();
      const visible = withCounts.map((classifier) => !pair || pair.includes(classifier.name));
      heads.forEach((head, index) => { head.hidden = !visible[index]; });
      const causes = new Set();
      for (const { row, measure, values: cells, last: lastCell } of rows) {
        const values = withCounts.map((classifier) => measureValue(measure, countsOf(classifier)));
        cells.forEach((cell, index) => {
          cell.hidden = !visible[index];
          fillCell(cell, values[index], measure, changeTextOf(measure, withCounts[index], values[index]));
          const cause = undefinedReason(measure, countsOf(withCounts[index]), values[index]);
          if (cause && visible[index] && !row.hidden) causes.add(`${measure.title} ${Number.isNaN(values[index]) ? "undefined" : "infinite"}: ${cause}.`);
        });
        lastCell.textContent = lastOf(measure, values.map((value, index) => ({ name: withCounts[index].name, value })).filter((_, index) => visible[index]), pair);
      }
      reasons.replaceChildren([...causes].join(" "));
      reasons.hidden = !causes.size;
      lastHead.textContent = typeof last.head === "function" ? last.head(pair) : last.head;
      all(":scope > :last-child", table.tHead.rows[0]).concat(rows.map((entry) => entry.last)).forEach((cell) => { cell.hidden = last.pairOnly && !pair; });
    },
  };
};
const pairDifference = (measure, values, pair) => {
  if (!pair) return "";
  const [a, b] = pair.map((name) => values.find((entry) => entry.name === name)?.value ?? NaN);
  return formatDifference(a - b, measure, a) || "\u2013";
};
const areTied = (a, b) => a === b || (Number.isFinite(a - b) && Math.abs(a - b) <= 1e-12 * Math.max(1, Math.abs(a), Math.abs(b)));
const bestClassifiers = (measure, values) => {
  const defined = values.filter(({ value }) => !Number.isNaN(value));
  if (defined.length < 2 || !measure.orientation) return "\u2013";
  const top = defined.reduce((best, entry) => ((entry.value - best.value) * measure.orientation > 0 ? entry : best)).value;
  const best = defined.filter(({ value }) => areTied(value, top));
  return best.length === defined.length ? "all equal" : best.map(({ name }) => name).join(", ");
};
// A slider with a number field and a reset button.
const slider = ({ name, label, range, limits = {}, validationMessage = () => "", format, toSlider, fromSlider, current, start, unchanged, key, announcement, effective = () => null, clears = () => ({}) }) => {
  const id = `what-if-${name}`;
  const input = element("input", { type: "range", id, ...range, oninput: () => updateView({ ...clears(), [key]: fromSlider(Number(input.value)) }, { dragged: true }), onchange: () => announce(announcement()) });
  const message = element("span", { class: "refused", role: "status" });
  const onTyped = () => {
    const number = finite(field.value);
    const text = number === null ? "" : validationMessage(number);
    // An invalid number leaves the view unchanged.
    if (text) notify();
    else updateView({ ...clears(), [key]: number === null ? null : field.value });
    message.textContent = text;
    if (!text) announce(announcement());
  };
  const field = element("input", { type: "number", step: "any", inputmode: "decimal", ...limits, "aria-label": `${label}, any value`, onchange: onTyped });
  const reset = element("button", { type: "button", onclick: () => { updateView({ [key]: null }); announce(announcement()); input.focus(); }, "aria-label": `Reset: ${label}` }, "Reset");
  watch(() => {
    const number = current();
    message.textContent = "";
    input.value = toSlider(number ?? effective() ?? start);
    input.setAttribute("aria-valuetext", number === null ? unchanged : format(number));
    if (document.activeElement !== field || finite(field.value) !== number) field.value = number ?? "";
    field.placeholder = number === null ? unchanged : "";
    reset.disabled = number === null;
  });
  return element("p", { class: "controls slider" }, element("label", { for: id }, label), input, field, reset, message);
};
const roundStep = (rough) => {
  const power = 10 ** Math.floor(Math.log10(rough));
  return [1, 2, 5, 10].map((step) => step * power).find((step) => step >= rough * (1 - 1e-9));
};
const detectedText = () => withCounts.map((classifier) => { const { tp, fn, fp } = currentCounts(classifier); return `${classifier.name}: ${tp} of ${tp + fn} ${data.classes[0]} detected, ${fp} false positives`; }).join("; ");
const thresholdSlider = (axis, index, classifier = null) => {
  const count = axis.stops?.length;
  const step = axis.classifier === null ? 0.01 : roundStep((axis.high - axis.low || 1) / 200);
  const decimals = Math.max(0, Math.ceil(-Math.log10(step) - 1e-9));
  const range = axis.stops ? { min: 0, max: count - 1, step: 1 } : { min: Math.floor(axis.low / step) * step, max: Math.ceil(axis.high / step) * step, step };
  const middle = axis.classifier === null ? 0.5 : (axis.low + axis.high) / 2;
  return slider({
    name: `threshold-${index}`, range, unchanged: "own threshold", key: classifier ? ownKey(classifier) : axisKey(axis),
    label: classifier ? `Threshold of ${classifier.name}` : axis.classifier === null ? "Threshold" : `Threshold of ${axis.classifier}`,
    format: formatShortest,
    current: () => (classifier ? finite(view.get(ownKey(classifier))) : thresholdOf(axis)),
    start: axis.start ?? middle,
    effective: () => { const threshold = classifier || axis.classifier !== null ? chosenThreshold(classifier ?? classifierNamed(axis.classifier)) : null; return threshold === Infinity ? axis.high : threshold; },
    toSlider: axis.stops ? (number) => count - Math.max(1, countAtLeast(axis.stops, nearest(axis.stops, number))) : (number) => number,
    fromSlider: axis.stops ? (position) => axis.stops[count - 1 - position] : (number) => Number(number.toFixed(decimals)),
    announcement: detectedText,
  });
};
const logit = (proportion) => Math.log(proportion / (1 - proportion));
const roundProportion = (proportion) => (proportion <= 0.5 ? Number(proportion.toPrecision(3)) : Number((1 - Number((1 - proportion).toPrecision(3))).toFixed(8)));
const prevalenceSlider = (table) => {
  const inStudy = studyPrevalence();
  return slider({
    name: "prevalence", key: "prevalence", label: `Prevalence of ${data.classes[0]}`, unchanged: "study prevalence",
    range: { min: -9.2, max: 9.2, step: 0.05, list: "what-if-ticks" }, limits: { min: 0, max: 1 },
    validationMessage: (number) => (number > 0 && number < 1 ? "" : `${formatShortest(number)} is not a prevalence: enter a number between 0 and 1.`),
    format: (proportion) => `${formatShortest(Number((100 * proportion).toPrecision(6)))}%`,
    current: currentPrevalence, start: inStudy > 0 && inStudy < 1 ? inStudy : 0.5,
    toSlider: logit, fromSlider: (position) => roundProportion(1 / (1 + Math.exp(-position))),
    announcement: () => table().slice(0, 5).join("; "),
  });
};
const COUNTS = ["tp", "fn", "fp", "tn"];
// Confusion matrices side by side or, of many classifiers, a table with one row each.
const MAX_MATRICES = 4;
const matrixOf = (classifier) => {
  const cells = COUNTS.map((name) => element("td", { "data-count": name }));
  const corner = element("th", { class: "corner", scope: "col" }, element("span", { class: "axis" }, "true \u2193"), " ", element("span", { class: "axis" }, "predicted \u2192"));
  const rows = data.classes.map((name, index) => element("tr", {}, element("th", { scope: "row" }, name), cells[2 * index], cells[2 * index + 1]));
  const heads = data.classes.map((name) => element("th", { scope: "col" }, name));
  const container = element("div", { class: "matrix few", "data-classifier": classifier.name }, element("table", {}, element("caption", {}, classifier.name), element("thead", {}, element("tr", {}, corner, ...heads)), element("tbody", {}, ...rows)));
  return { classifier, container, cells };
};
const rowOf = (classifier) => {
  const cells = COUNTS.map((name) => element("td", { class: "numeric", "data-count": name }));
  return { classifier, container: element("tr", {}, element("th", { scope: "row" }, classifier.name), ...cells), cells };
};
const fillCounts = ({ classifier, container, cells }, { visible, heat }) => {
  const counts = currentCounts(classifier);
  container.hidden = !visible.includes(classifier);
  cells.forEach((cell) => {
    const name = cell.dataset.count;
    const row = name === "tp" || name === "fn" ? counts.tp + counts.fn : counts.fp + counts.tn;
    const proportion = row ? counts[name] / row : 0;
    if (heat) cell.className = `${name === "tp" || name === "tn" ? "correct" : "error"} heat-${Math.ceil(Number((10 * proportion).toFixed(9)))}${counts[name] ? "" : " none"}`;
    cell.dataset.v = counts[name];
    cell.replaceChildren(formatFixed(counts[name], 0), counts[name] ? element("small", { class: heat ? null : "change" }, formatPercent(proportion)) : "");
  });
};
const buildMatrices = () => {
  const panels = withCounts.map(matrixOf);
  const rows = withCounts.map(rowOf);
  const heads = ["TP", "FN", "FP", "TN"];
  const table = element("table", {}, element("caption", {}, "Counts at this threshold"), element("thead", {}, element("tr", {}, element("th", { scope: "col" }, "Classifier"), ...heads.map((head) => element("th", { scope: "col", class: "numeric" }, head)))), element("tbody", {}, ...rows.map((row) => row.container)));
  const frame = element("div", { class: "table" }, element("div", { class: "scroll", role: "group", "aria-label": "Counts at this threshold", tabindex: "0" }, table));
  const container = partNamed("matrices");
  container.append(...panels.map((panel) => panel.container));
  container.after(frame);
  return () => {
    const pair = selectedPair();
    const visible = withCounts.filter((classifier) => !pair || pair.includes(classifier.name));
    container.hidden = visible.length > MAX_MATRICES;
    frame.hidden = !container.hidden;
    panels.forEach((panel) => fillCounts(panel, { visible, heat: true }));
    rows.forEach((row) => fillCounts(row, { visible, heat: false }));
  };
};
// The cost slider sets every threshold to that of the lowest cost; thresholds of one's own are cleared.
const MAX_COST_RATIO = 1000;
const clearedThresholds = () => Object.fromEntries([...view.keys()].filter((key) => key === "threshold" || key.startsWith("threshold.")).map((key) => [key, null]));
const costSlider = () => slider({
  name: "cost", key: "cost", label: "Cost of a false negative relative to a false positive", unchanged: "no costs",
  range: { min: -3, max: 3, step: 0.05 }, limits: { min: 0 },
  validationMessage: (number) => (number > 0 ? "" : `${formatShortest(number)} is not a cost: enter a number above 0.`),
  format: formatRatio, current: currentRatio, start: data.cost ?? 1,
  toSlider: (ratio) => Math.log10(Math.min(MAX_COST_RATIO, Math.max(1 / MAX_COST_RATIO, ratio))),
  fromSlider: (position) => Number((10 ** position).toPrecision(2)),
  clears: clearedThresholds,
  announcement: () => partNamed("winner").textContent,
});
const costTable = () => {
  const heads = ["Classifier", "Threshold", "Missed", "False alarms", "Cost"];
  const rows = withCounts.map((classifier) => ({ classifier, cells: heads.slice(1).map(() => element("td", { class: "numeric" })) }));
  rows.forEach((row) => { row.node = element("tr", { "data-cost-of": row.classifier.name }, element("th", { scope: "row" }, row.classifier.name), ...row.cells); });
  const caption = element("caption");
  const table = element("table", {}, caption, element("thead", {}, element("tr", {}, ...heads.map((head, index) => element("th", { scope: "col", class: index ? "numeric" : null }, head)))), element("tbody", {}, ...rows.map(({ node }) => node)));
  partNamed("costs").append(element("div", { class: "scroll", role: "group", "aria-label": "Missed cases, false alarms and cost", tabindex: "0" }, table));
  return (visible, ratio, prevalence) => {
    const per = casesPer(prevalence);
    caption.textContent = `Per ${formatFixed(per, 0)} cases at a prevalence of ${formatAnyMagnitude(100 * prevalence)}%${ratio === null ? "" : `, a false alarm costing ${formatShortest(data.unit)}`}`;
    for (const { classifier, node, cells } of rows) {
      const counts = currentCounts(classifier);
      const [fpr, tpr] = ratesOf(counts);
      const threshold = chosenThreshold(classifier);
      const numbers = [per * prevalence * (1 - tpr), per * (1 - prevalence) * fpr];
      node.hidden = !visible.includes(classifier);
      cells[0].textContent = threshold === null ? "as submitted" : formatThreshold(threshold);
      numbers.forEach((number, index) => { cells[index + 1].textContent = formatFixed(number, number > 0 && number < 10 ? 1 : 0); });
      const cost = ratio === null ? null : scaledCost(counts, ratio, prevalence);
      cells[3].dataset.v = cost ?? "";
      cells[3].textContent = cost === null ? "\u2013" : formatCost(cost);
    }
  };
};
const startDecisions = () => {
  if (!withCounts.every(({ counts: [tp, fn, fp, tn] }) => tp + fn && fp + tn)) return;
  partNamed("cost").append(costSlider());
  if (data.cost !== null) partNamed("cost").append(element("p", { class: "controls" }, element("button", { type: "button", onclick: () => updateView({ ...clearedThresholds(), cost: data.cost }) }, `Declared: ${formatRatio(data.cost)}`)));
  const fillCosts = costTable();
  const scored = withCounts.filter((classifier) => classifier.scores);
  const roc = buildRoc(withCounts);
  const histogram = scored.length ? buildHistogram() : null;
  const chooser = element("select", { "aria-label": "Classifier of the histogram", onchange: () => updateView({ scores: chooser.value }) }, ...scored.map(({ name }) => element("option", { value: name }, name)));
  partNamed("charts").append(element("div", {}, roc.svg, element("p", { class: "key" }, ...withCounts.flatMap(({ name, color, shade }) => [svgKey(color, shade), ` ${name} `]))));
  if (histogram) partNamed("charts").append(element("div", {}, histogram.svg, element("p", { class: "key" }, svgKey("#d55e00", "s1"), ` ${data.classes[0]} `, svgKey("#0072b2", "s0"), ` ${data.classes[1]} `, chooser)));
  watch(() => {
    const pair = selectedPair();
    const visible = withCounts.filter((classifier) => !pair || pair.includes(classifier.name));
    const [ratio, prevalence] = [currentRatio(), usedPrevalence()];
    partNamed("winner").replaceChildren(ratio === null ? "" : element("strong", {}, winnerSentence(visible, currentCounts, ratio, prevalence)), ` ${rangesSentence(visible, prevalence)} Not tested.`);
    fillCosts(visible, ratio, prevalence);
    roc.update(currentCounts, visible);
    const shown = scored.find(({ name }) => name === view.get("scores")) ?? scored[0];
    if (histogram) { chooser.value = shown.name; histogram.update(shown, chosenThreshold(shown) ?? data.axes[shown.axis].start); }
  });
};
const svgKey = (color, shade) => svgNode("svg", { viewBox: "0 0 10 10", width: 10, height: 10, "aria-hidden": "true" }, svgNode("rect", { width: 10, height: 10, class: `area ${shade}`, fill: color }));
const startWhatIf = () => {
  if (!section || !withCounts.length) return;
  section.hidden = false;
  if (names.length > 2) partNamed("pair").append(pairChooser());
  startDecisions();
  if (data.axes.length) {
    partNamed("thresholds").append(...data.axes.map((axis, index) => thresholdSlider(axis, index)));
    const scored = withCounts.filter((classifier) => classifier.axis !== undefined);
    if (data.axes[0].classifier === null && scored.length > 1) {
      const sliders = scored.map((classifier, index) => thresholdSlider(data.axes[0], `own-${index}`, classifier));
      partNamed("thresholds").append(element("details", {}, element("summary", {}, "A threshold for each classifier"), ...sliders));
    }
    const thresholdTable = measureTable("measures", "At this threshold, with the change from the classifier's own threshold", data.threshold_measures.map((index) => data.measures[index]), { head: (pair) => (pair ? pair.join(" \u2212 ") : ""), numeric: true, pairOnly: true });
    const fillMatrices = buildMatrices();
    const isMoved = (classifier) => chosenThreshold(classifier) !== null;
    watch(() => {
      fillMatrices();
      moveOperatingPoints(currentCounts, chosenThreshold);
      thresholdTable.fill(currentCounts, (measure, classifier, value) => (isMoved(classifier) ? formatDifference(value - measureValue(measure, toCounts(classifier.counts)), measure, value) : ""), pairDifference);
    });
  }
  const prevalenceMeasures = data.prevalence_measures.map((index) => data.measures[index]);
  const prevalenceTable = measureTable("prevalence-measures", `At this prevalence of ${data.classes[0]}`, prevalenceMeasures, { head: "Best at this prevalence (not tested)" });
  const currentProportions = (classifier) => { const prevalence = currentPrevalence(); return prevalence === null ? currentCounts(classifier) : proportionsAt(currentCounts(classifier), prevalence); };
  const announcedRows = () => all("tbody tr", partNamed("prevalence-measures")).map((row) => `${row.cells[0].textContent.trim()}: best ${row.cells[row.cells.length - 1].textContent}`);
  const ticks = [...new Set([...data.targets, ...data.crossings])];
  const targets = data.targets.map((proportion) => element("button", { type: "button", onclick: () => { updateView({ prevalence: proportion }); announce(announcedRows().join("; ")); } }, formatShortest(proportion)));
  partNamed("prevalence").append(prevalenceSlider(announcedRows), element("datalist", { id: "what-if-ticks" }, ...ticks.map((proportion) => element("option", { value: logit(proportion).toFixed(3) }))));
  if (targets.length) partNamed("prevalence").append(element("p", { class: "controls" }, "Target prevalence: ", ...targets));
  watch(() => prevalenceTable.fill(currentProportions, () => "", bestClassifiers));
};
startWhatIf();
