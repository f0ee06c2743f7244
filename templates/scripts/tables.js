// Long tables: sorted by a click on a head, filtered by words; rows stay within their group.
const longTables = all(".table").map((frame) => {
  const bodies = all("tbody", frame).map((body) => ({ body, rows: all("tr:not(.group)", body), head: body.querySelector(".group")?.textContent.trim() ?? "" }));
  const rows = bodies.flatMap((each) => each.rows);
  return { frame, id: frame.id.replace(/^table-/, ""), bodies, rows, heads: all("thead th", frame) };
});
const labelOf = (row) => row.cells[0].textContent.trim();
const sortOf = ({ id, heads }) => {
  const [, column, direction] = /^(\d+)-(up|down)$/.exec(view.get(`sort.${id}`) ?? "") ?? [];
  return column !== undefined && column < heads.length ? { column: Number(column), direction } : null;
};
const keyOf = (row, column) => {
  const cell = row.cells[column];
  const number = cell?.dataset.v;
  return number === undefined ? cell?.textContent.trim() ?? "" : number === "" ? NaN : Number(number);
};
const compared = (a, b) => {
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a).localeCompare(String(b), undefined, { numeric: true });
};
const isNothing = (key) => key === "" || Number.isNaN(key);
const sortTable = (table) => {
  const sort = sortOf(table);
  table.heads.forEach((head, column) => {
    if (!head.querySelector(".sort")) return;
    if (sort?.column === column) head.setAttribute("aria-sort", sort.direction === "up" ? "ascending" : "descending");
    else head.removeAttribute("aria-sort");
  });
  const key = JSON.stringify(sort);
  if (table.sorted === key) return;
  table.sorted = key;
  for (const { body, rows } of table.bodies) {
    const keyed = rows.map((row) => [sort ? keyOf(row, sort.column) : 0, row]);
    const sign = sort?.direction === "down" ? -1 : 1;
    // What has no value stays at the end, whichever way.
    if (sort) keyed.sort(([a], [b]) => isNothing(a) - isNothing(b) || (isNothing(a) ? 0 : sign * compared(a, b)));
    body.append(...keyed.map(([, row]) => row));
  }
};
const addSorting = (table) => {
  table.heads.forEach((head, column) => {
    if (!head.textContent.trim()) return;
    const turn = () => {
      const sort = sortOf(table);
      const next = sort?.column !== column ? "up" : sort.direction === "up" ? "down" : null;
      choose({ [`sort.${table.id}`]: next && `${column}-${next}` });
      say(next ? `Sorted by ${head.textContent.trim()}, ${next === "up" ? "lowest" : "highest"} first` : "Original order");
    };
    // A link in the head leads to the definition; the button stands beside it then.
    const linked = head.querySelector("a");
    const name = head.textContent.trim();
    const button = make("button", { type: "button", class: "sort", onclick: turn, "aria-label": linked ? `Sort by ${name}` : null });
    if (!linked) button.append(...head.childNodes);
    button.append(make("span", { class: "sort-mark", "aria-hidden": "true" }));
    head.append(button);
  });
};
const addFilter = (table) => {
  const key = `filter.${table.id}`;
  table.filter = make("input", { type: "search", autocomplete: "off", spellcheck: "false", oninput: () => choose({ [key]: table.filter.value }, { dragged: true }) });
  table.found = make("span", { class: "found", role: "status" });
  table.frame.prepend(make("p", { class: "controls" }, make("label", {}, "Filter rows: ", table.filter), table.found));
};
// Sliders leave tables alone, and some are long.
let arranged = null;
const showRows = () => {
  const arrangement = JSON.stringify([...view].filter(([key]) => /^(sort|filter)\.|^[ab]$/.test(key)));
  if (arrangement === arranged) return;
  arranged = arrangement;
  for (const table of longTables) {
    const words = (view.get(`filter.${table.id}`) ?? "").trim().toLowerCase();
    if (table.filter && table.filter.value.trim().toLowerCase() !== words) table.filter.value = words;
    let seen = 0;
    for (const { body, rows, head } of table.bodies) {
      const all_ = !words || !table.filter || head.toLowerCase().includes(words);
      let left = 0;
      for (const row of rows) {
        row.hidden = isOtherPair(head) || isOtherPair(labelOf(row)) || !(all_ || row.textContent.toLowerCase().includes(words));
        left += !row.hidden;
      }
      body.hidden = rows.length > 0 && left === 0;
      seen += left;
    }
    if (table.found) table.found.textContent = words ? `${seen} of ${table.rows.length} rows` : "";
    sortTable(table);
  }
};
for (const table of longTables) {
  if (table.frame.dataset.sortable === undefined) continue;
  addSorting(table);
  if (table.rows.length >= 15) addFilter(table);
}
watch(showRows);
