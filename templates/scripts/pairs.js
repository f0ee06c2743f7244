// Two selected classifiers: comparisons of all other pairs are dimmed.
const names = data.classifiers.map((each) => each.name);
const signs = [" \u2212 ", " minus "];
const pairLabels = new Set(names.flatMap((a) => names.flatMap((b) => (a === b ? [] : signs.map((sign) => a + sign + b)))));
const chosenPair = () => {
  if (names.length === 2) return names;
  const pair = [view.get("a"), view.get("b")];
  return pair[0] !== pair[1] && pair.every((name) => names.includes(name)) ? pair : null;
};
const isOtherPair = (label) => {
  if (!pairLabels.has(label)) return false;
  const pair = chosenPair();
  return pair !== null && !signs.some((sign) => [pair.join(sign), [...pair].reverse().join(sign)].includes(label));
};
// A pair that was not tested has no rows: a note explains the empty tables.
const pairWords = () => {
  const pair = chosenPair();
  if (!pair) return "";
  const rows = [...all("svg [data-pair]").map((row) => row.dataset.pair), ...longTables.flatMap(({ bodies }) => bodies.flatMap(({ head, rows }) => [head, ...rows.map(labelOf)]))];
  if (rows.some((label) => pairLabels.has(label) && !isOtherPair(label))) return "";
  const who = `${pair[0]} and ${pair[1]}`;
  return data.baseline && !pair.includes(data.baseline) ? `${who} were not compared: the baseline is ${data.baseline}.` : `${who} are not compared here.`;
};
const choosers = [];
const pairChooser = () => {
  const select = (key, label) => make("select", { "aria-label": label, onchange: (event) => choosePair(key, event.target.value) }, make("option", { value: "" }, "all"), ...names.map((name) => make("option", { value: name }, name)));
  const made = { a: select("a", "First classifier to compare"), b: select("b", "Second classifier to compare") };
  const clear = make("button", { type: "button", onclick: () => choose({ a: null, b: null }) }, "Show all pairs");
  choosers.push({ ...made, clear });
  return make("p", { class: "controls" }, "Compare: ", made.a, " vs ", made.b, " ", clear);
};
const choosePair = (key, name) => {
  const other = key === "a" ? "b" : "a";
  const changes = { [key]: name };
  if (!name) changes[other] = null;
  // The same one twice is no pair.
  else if (view.get(other) === name) changes[other] = names.find((each) => each !== name);
  choose(changes);
};
const showPair = () => {
  for (const { a, b, clear } of choosers) {
    a.value = names.includes(view.get("a")) ? view.get("a") : "";
    b.value = names.includes(view.get("b")) ? view.get("b") : "";
    clear.hidden = !a.value && !b.value;
  }
  all(".pair-note").forEach((note) => { note.textContent = pairWords(); });
  all("svg [data-pair]").forEach((row) => row.classList.toggle("aside", isOtherPair(row.dataset.pair)));
};
if (names.length > 2) all(".kind-comparisons > h2").forEach((head) => head.after(pairChooser(), make("p", { class: "refused pair-note", role: "status" })));
watch(showPair);
