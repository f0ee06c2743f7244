// What-if section: measures at another threshold or prevalence, computed from the report's counts.
const section = document.getElementById("what-if");
const counting = data.classifiers.filter((each) => each.counts);
const part = (name) => section.querySelector(`[data-part="${name}"]`);
const finite = (text) => { const number = Number(text); return text && text.trim() !== "" && Number.isFinite(number) ? number : null; };
const axisKey = (axis) => (axis.classifier === null ? "threshold" : `threshold.${axis.classifier}`);
const nearest = (stops, number) => {
  const at = reached(stops, number);
  const [above, below] = [stops[Math.max(0, at - 1)], stops[Math.min(stops.length - 1, at)]];
  return Math.abs(above - number) <= Math.abs(below - number) ? above : below;
};
const thresholdOf = (axis) => {
  const number = finite(view.get(axisKey(axis)));
  return number === null ? null : axis.stops ? nearest(axis.stops, number) : number;
};
const countsNow = (each) => countsAt(each, each.axis === undefined ? null : thresholdOf(data.axes[each.axis]));
const prevalenceNow = () => {
  const number = finite(view.get("prevalence"));
  return number !== null && number > 0 && number < 1 ? number : null;
};
const fillCell = (cell, value, measure, counts, beside) => {
  const reason = reasonOf(measure, counts, value);
  cell.dataset.v = Number.isNaN(value) ? "" : value;
  cell.replaceChildren(make("span", { class: Number.isNaN(value) ? "undefined" : "nowrap" }, shown(value, measure)));
  if (beside) cell.append(make("small", { class: "change" }, beside));
  if (reason) cell.append(make("small", { class: "change" }, reason));
};
const symbolOf = ([base, below, above]) => make("span", { class: "symbol" }, " ", base.length > 1 ? base : make("i", {}, base), below ? make("sub", {}, below) : "", above ? make("sup", {}, above) : "");
// Of many measures the best known come first; the others on request.
const FEW = 9;
const wellKnown = ["accuracy", "sensitivity", "specificity", "precision", "npv", "f1", "youden", "kappa", "kappa_best", "mcc"];
const isAside = (measure, measures) => measures.length > FEW && !wellKnown.includes(measure.name) && !view.has("all");
// A table of measures against classifiers: built once, filled again at every move.
const measureTable = (name, caption, measures, last) => {
  const heads = counting.map((each) => make("th", { scope: "col", class: "numeric" }, each.name));
  const lastHead = make("th", { scope: "col", class: last.numeric ? "numeric" : null }, typeof last.head === "function" ? "" : last.head);
  const rows = measures.map((measure) => {
    const title = [measure.title, measure.symbol && symbolOf(measure.symbol), measure.orientation ? make("span", { class: "arrow", "aria-hidden": "true" }, measure.orientation > 0 ? "\u00a0\u2191" : "\u00a0\u2193") : null, measure.orientation ? make("span", { class: "visually-hidden" }, measure.orientation > 0 ? " higher is better" : " lower is better") : null];
    const made = { measure, values: counting.map(() => make("td", { class: "numeric" })), last: make("td", { class: last.numeric ? "numeric" : null }) };
    made.row = make("tr", { "data-measure": measure.name }, make("th", { scope: "row" }, ...title.filter(Boolean)), ...made.values, made.last);
    return made;
  });
  const table = make("table", {}, make("caption", {}, caption), make("thead", {}, make("tr", {}, make("th", { scope: "col" }, "Measure"), ...heads, lastHead)), make("tbody", {}, ...rows.map((made) => made.row)));
  part(name).append(make("div", { class: "scroll", role: "group", "aria-label": caption, tabindex: "0" }, table));
  const more = make("button", { type: "button", "aria-expanded": "false", onclick: () => choose({ all: view.has("all") ? null : 1 }) });
  if (measures.some((measure) => !wellKnown.includes(measure.name)) && measures.length > FEW) part(name).append(make("p", { class: "controls" }, more));
  return {
    fill: (countsOf, besideOf, lastOf) => {
      more.textContent = view.has("all") ? "Show common measures" : `Show all ${measures.length} measures`;
      more.setAttribute("aria-expanded", view.has("all"));
      rows.forEach(({ row, measure }) => { row.hidden = isAside(measure, measures); });
      const pair = chosenPair();
      const seen = counting.map((each) => !pair || pair.includes(each.name));
      heads.forEach((head, at) => { head.hidden = !seen[at]; });
      for (const { measure, values, last: end } of rows) {
        const found = counting.map((each) => valueOf(measure, countsOf(each)));
        values.forEach((cell, at) => { cell.hidden = !seen[at]; fillCell(cell, found[at], measure, countsOf(counting[at]), besideOf(measure, counting[at], found[at])); });
        end.textContent = lastOf(measure, found.map((value, at) => ({ name: counting[at].name, value })).filter((_, at) => seen[at]), pair);
      }
      lastHead.textContent = typeof last.head === "function" ? last.head(pair) : last.head;
      all(":scope > :last-child", table.tHead.rows[0]).concat(rows.map((made) => made.last)).forEach((cell) => { cell.hidden = last.pairOnly && !pair; });
    },
  };
};
const differenceIn = (measure, found, pair) => {
  if (!pair) return "";
  const [a, b] = pair.map((name) => found.find((each) => each.name === name)?.value ?? NaN);
  return change(a - b, measure, a) || "\u2013";
};
const isTie = (a, b) => a === b || (Number.isFinite(a - b) && Math.abs(a - b) <= 1e-12 * Math.max(1, Math.abs(a), Math.abs(b)));
const bestIn = (measure, found) => {
  const known = found.filter(({ value }) => !Number.isNaN(value));
  if (known.length < 2 || !measure.orientation) return "\u2013";
  const top = known.reduce((best, each) => ((each.value - best.value) * measure.orientation > 0 ? each : best)).value;
  const best = known.filter(({ value }) => isTie(value, top));
  return best.length === known.length ? "all equal" : best.map(({ name }) => name).join(", ");
};
// A slider with a field beside it for any number, and a button that leads back.
const slider = ({ name, label, range, limits = {}, refusal = () => "", shownAs, toSlider, fromSlider, current, start, unchanged, key, announce }) => {
  const id = `what-if-${name}`;
  const drag = make("input", { type: "range", id, ...range, oninput: () => choose({ [key]: fromSlider(Number(drag.value)) }, { dragged: true }), onchange: () => say(announce()) });
  const message = make("span", { class: "refused", role: "status" });
  const typed = () => {
    const number = finite(field.value);
    const words = number === null ? "" : refusal(number);
    // An invalid number changes nothing.
    if (words) tell();
    else choose({ [key]: number === null ? null : field.value });
    message.textContent = words;
    if (!words) say(announce());
  };
  const field = make("input", { type: "number", step: "any", inputmode: "decimal", ...limits, "aria-label": `${label}, any value`, onchange: typed });
  const back = make("button", { type: "button", onclick: () => { choose({ [key]: null }); say(announce()); drag.focus(); }, "aria-label": `Reset: ${label}` }, "Reset");
  watch(() => {
    const number = current();
    message.textContent = "";
    drag.value = toSlider(number ?? start);
    drag.setAttribute("aria-valuetext", number === null ? unchanged : shownAs(number));
    if (document.activeElement !== field || finite(field.value) !== number) field.value = number ?? "";
    field.placeholder = number === null ? unchanged : "";
    back.disabled = number === null;
  });
  return make("p", { class: "controls slider" }, make("label", { for: id }, label), drag, field, back, message);
};
const roundStep = (rough) => {
  const power = 10 ** Math.floor(Math.log10(rough));
  return [1, 2, 5, 10].map((step) => step * power).find((step) => step >= rough * (1 - 1e-9));
};
const thresholdSlider = (axis, at) => {
  const count = axis.stops?.length;
  const step = axis.classifier === null ? 0.01 : roundStep((axis.high - axis.low || 1) / 200);
  const decimals = Math.max(0, Math.ceil(-Math.log10(step) - 1e-9));
  const range = axis.stops ? { min: 0, max: count - 1, step: 1 } : { min: Math.floor(axis.low / step) * step, max: Math.ceil(axis.high / step) * step, step };
  const middle = axis.classifier === null ? 0.5 : (axis.low + axis.high) / 2;
  return slider({
    name: `threshold-${at}`, range, unchanged: "own threshold", key: axisKey(axis),
    label: axis.classifier === null ? "Threshold" : `Threshold of ${axis.classifier}`,
    shownAs: plain,
    current: () => thresholdOf(axis),
    start: axis.start ?? middle,
    toSlider: axis.stops ? (number) => count - Math.max(1, reached(axis.stops, nearest(axis.stops, number))) : (number) => number,
    fromSlider: axis.stops ? (place) => axis.stops[count - 1 - place] : (number) => Number(number.toFixed(decimals)),
    announce: () => counting.map((each) => { const { tp, fn, fp } = countsNow(each); return `${each.name}: ${tp} of ${tp + fn} ${data.classes[0]} detected, ${fp} false positives`; }).join("; "),
  });
};
const logit = (share) => Math.log(share / (1 - share));
const roundShare = (share) => (share <= 0.5 ? Number(share.toPrecision(3)) : Number((1 - Number((1 - share).toPrecision(3))).toFixed(8)));
const prevalenceSlider = (table) => {
  const [tp, fn, fp, tn] = counting[0].counts;
  const studyPrevalence = (tp + fn) / (tp + fn + fp + tn);
  return slider({
    name: "prevalence", key: "prevalence", label: `Prevalence of ${data.classes[0]}`, unchanged: "study prevalence",
    range: { min: -9.2, max: 9.2, step: 0.05, list: "what-if-ticks" }, limits: { min: 0, max: 1 },
    refusal: (number) => (number > 0 && number < 1 ? "" : `${plain(number)} is not a prevalence: enter a number between 0 and 1.`),
    shownAs: (share) => `${plain(Number((100 * share).toPrecision(6)))}%`,
    current: prevalenceNow, start: studyPrevalence > 0 && studyPrevalence < 1 ? studyPrevalence : 0.5,
    toSlider: logit, fromSlider: (place) => roundShare(1 / (1 + Math.exp(-place))),
    announce: () => table().slice(0, 5).join("; "),
  });
};
const percentOf = (share) => {
  const percent = 100 * share;
  if (isWhole(share) || (percent >= 0.5 && percent < 99.5)) return `${fixed(percent, 0)}%`;
  return `${percent < 0.05 ? `<0${point}1` : percent >= 99.95 ? `>99${point}9` : fixed(percent, 1)}%`;
};
const COUNTS = ["tp", "fn", "fp", "tn"];
// Side by side as matrices, or, of many classifiers, as a table with a row for each.
const MOST_MATRICES = 4;
const matrixOf = (each) => {
  const boxes = COUNTS.map((name) => make("td", { "data-count": name }));
  const corner = make("th", { class: "corner", scope: "col" }, make("span", { class: "axis" }, "true \u2193"), " ", make("span", { class: "axis" }, "predicted \u2192"));
  const rows = data.classes.map((name, at) => make("tr", {}, make("th", { scope: "row" }, name), boxes[2 * at], boxes[2 * at + 1]));
  const heads = data.classes.map((name) => make("th", { scope: "col" }, name));
  const whole = make("div", { class: "matrix few", "data-classifier": each.name }, make("table", {}, make("caption", {}, each.name), make("thead", {}, make("tr", {}, corner, ...heads)), make("tbody", {}, ...rows)));
  return { each, whole, boxes };
};
const rowOf = (each) => {
  const boxes = COUNTS.map((name) => make("td", { class: "numeric", "data-count": name }));
  return { each, whole: make("tr", {}, make("th", { scope: "row" }, each.name), ...boxes), boxes };
};
const fillCounts = ({ each, whole, boxes }, { seen, heat }) => {
  const counts = countsNow(each);
  whole.hidden = !seen.includes(each);
  boxes.forEach((box) => {
    const name = box.dataset.count;
    const row = name === "tp" || name === "fn" ? counts.tp + counts.fn : counts.fp + counts.tn;
    const share = row ? counts[name] / row : 0;
    if (heat) box.className = `${name === "tp" || name === "tn" ? "correct" : "error"} heat-${Math.ceil(Number((10 * share).toFixed(9)))}${counts[name] ? "" : " none"}`;
    box.dataset.v = counts[name];
    box.replaceChildren(fixed(counts[name], 0), counts[name] ? make("small", { class: heat ? null : "change" }, percentOf(share)) : "");
  });
};
const matrices = () => {
  const boxes = counting.map(matrixOf);
  const lines = counting.map(rowOf);
  const heads = ["TP", "FN", "FP", "TN"];
  const table = make("table", {}, make("caption", {}, "Counts at this threshold"), make("thead", {}, make("tr", {}, make("th", { scope: "col" }, "Classifier"), ...heads.map((head) => make("th", { scope: "col", class: "numeric" }, head)))), make("tbody", {}, ...lines.map((line) => line.whole)));
  const frame = make("div", { class: "table" }, make("div", { class: "scroll", role: "group", "aria-label": "Counts at this threshold", tabindex: "0" }, table));
  const beside = part("matrices");
  beside.append(...boxes.map((box) => box.whole));
  beside.after(frame);
  return () => {
    const pair = chosenPair();
    const seen = counting.filter((each) => !pair || pair.includes(each.name));
    beside.hidden = seen.length > MOST_MATRICES;
    frame.hidden = !beside.hidden;
    boxes.forEach((box) => fillCounts(box, { seen, heat: true }));
    lines.forEach((line) => fillCounts(line, { seen, heat: false }));
  };
};
const startWhatIf = () => {
  if (!section || !counting.length) return;
  section.hidden = false;
  if (names.length > 2) part("pair").append(pairChooser());
  if (data.axes.length) {
    part("thresholds").append(...data.axes.map(thresholdSlider));
    const thresholdTable = measureTable("measures", "At this threshold, with the change from the classifier's own threshold", data.threshold_measures.map((at) => data.measures[at]), { head: (pair) => (pair ? pair.join(" \u2212 ") : ""), numeric: true, pairOnly: true });
    const fillMatrices = matrices();
    const moved = (each) => each.axis !== undefined && thresholdOf(data.axes[each.axis]) !== null;
    watch(() => {
      fillMatrices();
      moveMarks(countsNow, (each) => thresholdOf(data.axes[each.axis]));
      thresholdTable.fill(countsNow, (measure, each, value) => (moved(each) ? change(value - valueOf(measure, counted(each.counts)), measure, value) : ""), differenceIn);
    });
  }
  const prevalenceMeasures = data.prevalence_measures.map((at) => data.measures[at]);
  const prevalenceTable = measureTable("prevalence-measures", `At this prevalence of ${data.classes[0]}`, prevalenceMeasures, { head: "Best at this prevalence (not tested)" });
  const sharesNow = (each) => { const prevalence = prevalenceNow(); return prevalence === null ? countsNow(each) : sharesAt(countsNow(each), prevalence); };
  const spokenRows = () => all("tbody tr", part("prevalence-measures")).map((row) => `${row.cells[0].textContent.trim()}: best ${row.cells[row.cells.length - 1].textContent}`);
  const marks = [...new Set([...data.targets, ...data.crossings])];
  const targets = data.targets.map((share) => make("button", { type: "button", onclick: () => { choose({ prevalence: share }); say(spokenRows().join("; ")); } }, plain(share)));
  part("prevalence").append(prevalenceSlider(spokenRows), make("datalist", { id: "what-if-ticks" }, ...marks.map((share) => make("option", { value: logit(share).toFixed(3) }))));
  if (targets.length) part("prevalence").append(make("p", { class: "controls" }, "Target prevalence: ", ...targets));
  watch(() => prevalenceTable.fill(sharesNow, () => "", bestIn));
};
startWhatIf();
