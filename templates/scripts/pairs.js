// Two selected classifiers: comparisons of all other pairs are dimmed.
const names = data.classifiers.map((classifier) => classifier.name);
const signs = [" \u2212 ", " minus "];
const pairLabels = new Set(names.flatMap((a) => names.flatMap((b) => (a === b ? [] : signs.map((sign) => a + sign + b)))));
const selectedPair = () => {
  if (names.length === 2) return names;
  const pair = [view.get("a"), view.get("b")];
  return pair[0] !== pair[1] && pair.every((name) => names.includes(name)) ? pair : null;
};
const isOtherPair = (label) => {
  if (!pairLabels.has(label)) return false;
  const pair = selectedPair();
  return pair !== null && !signs.some((sign) => [pair.join(sign), [...pair].reverse().join(sign)].includes(label));
};
// A pair that was not tested has no rows: a note explains the empty tables.
const untestedPairNote = () => {
  const pair = selectedPair();
  if (!pair) return "";
  const rows = [...all("svg [data-pair]").map((row) => row.dataset.pair), ...longTables.flatMap(({ bodies }) => bodies.flatMap(({ head, rows }) => [head, ...rows.map(labelOf)]))];
  if (rows.some((label) => pairLabels.has(label) && !isOtherPair(label))) return "";
  const pairText = `${pair[0]} and ${pair[1]}`;
  return data.baseline && !pair.includes(data.baseline) ? `${pairText} were not compared: the baseline is ${data.baseline}.` : `${pairText} are not compared here.`;
};
const choosers = [];
const pairChooser = () => {
  const select = (key, label) => element("select", { "aria-label": label, onchange: (event) => choosePair(key, event.target.value) }, element("option", { value: "" }, "all"), ...names.map((name) => element("option", { value: name }, name)));
  const selects = { a: select("a", "First classifier to compare"), b: select("b", "Second classifier to compare") };
  const clear = element("button", { type: "button", onclick: () => updateView({ a: null, b: null }) }, "Show all pairs");
  choosers.push({ ...selects, clear });
  return element("p", { class: "controls" }, "Compare: ", selects.a, " vs ", selects.b, " ", clear);
};
const choosePair = (key, name) => {
  const other = key === "a" ? "b" : "a";
  const changes = { [key]: name };
  if (!name) changes[other] = null;
  // A classifier is not compared with itself.
  else if (view.get(other) === name) changes[other] = names.find((candidate) => candidate !== name);
  updateView(changes);
};
const showPair = () => {
  for (const { a, b, clear } of choosers) {
    a.value = names.includes(view.get("a")) ? view.get("a") : "";
    b.value = names.includes(view.get("b")) ? view.get("b") : "";
    clear.hidden = !a.value && !b.value;
  }
  all(".pair-note").forEach((note) => { note.textContent = untestedPairNote(); });
  all("svg [data-pair]").forEach((row) => row.classList.toggle("aside", isOtherPair(row.dataset.pair)));
};
if (names.length > 2) all(".kind-comparisons > h2").forEach((head) => head.after(pairChooser(), element("p", { class: "refused pair-note", role: "status" })));
watch(showPair);
