// Long tables: sorting by column heads and filtering; rows stay within their group.
const longTables = all(".table").map((frame) => {
  const bodies = all("tbody", frame).map((body) => ({ body, rows: all("tr:not(.group)", body), head: body.querySelector(".group")?.textContent.trim() ?? "" }));
  const rows = bodies.flatMap((body) => body.rows);
  return { frame, id: frame.id.replace(/^table-/, ""), bodies, rows, heads: all("thead tr:last-child th", frame) };
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
const compareKeys = (a, b) => {
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a).localeCompare(String(b), undefined, { numeric: true });
};
const isMissing = (key) => key === "" || Number.isNaN(key);
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
    // Missing values are last in both directions.
    if (sort) keyed.sort(([a], [b]) => isMissing(a) - isMissing(b) || (isMissing(a) ? 0 : sign * compareKeys(a, b)));
    body.append(...keyed.map(([, row]) => row));
  }
};
const addSorting = (table) => {
  table.heads.forEach((head, column) => {
    if (!head.textContent.trim()) return;
    const toggleSort = () => {
      const sort = sortOf(table);
      const next = sort?.column !== column ? "up" : sort.direction === "up" ? "down" : null;
      updateView({ [`sort.${table.id}`]: next && `${column}-${next}` });
      announce(next ? `Sorted by ${head.textContent.trim()}, ${next === "up" ? "lowest" : "highest"} first` : "Original order");
    };
    // If the head is a link to a definition, the button follows it.
    const link = head.querySelector("a");
    const name = head.textContent.trim();
    const button = element("button", { type: "button", class: "sort", onclick: toggleSort, "aria-label": link ? `Sort by ${name}` : null });
    if (!link) button.append(...head.childNodes);
    button.append(element("span", { class: "sort-mark", "aria-hidden": "true" }));
    head.append(button);
  });
};
const addFilter = (table) => {
  const key = `filter.${table.id}`;
  table.filter = element("input", { type: "search", autocomplete: "off", spellcheck: "false", oninput: () => updateView({ [key]: table.filter.value }, { dragged: true }) });
  table.found = element("span", { class: "found", role: "status" });
  table.frame.prepend(element("p", { class: "controls" }, element("label", {}, "Filter rows: ", table.filter), table.found));
};
// Sliders do not affect long tables, which are expensive to update.
let currentArrangement = null;
const showRows = () => {
  const arrangement = JSON.stringify([...view].filter(([key]) => /^(sort|filter)\.|^[ab]$/.test(key)));
  if (arrangement === currentArrangement) return;
  currentArrangement = arrangement;
  for (const table of longTables) {
    const query = (view.get(`filter.${table.id}`) ?? "").trim().toLowerCase();
    if (table.filter && table.filter.value.trim().toLowerCase() !== query) table.filter.value = query;
    let visibleTotal = 0;
    for (const { body, rows, head } of table.bodies) {
      const matchesGroup = !query || !table.filter || head.toLowerCase().includes(query);
      let visibleRows = 0;
      for (const row of rows) {
        row.hidden = isOtherPair(head) || isOtherPair(labelOf(row)) || !(matchesGroup || row.textContent.toLowerCase().includes(query));
        visibleRows += !row.hidden;
      }
      body.hidden = rows.length > 0 && visibleRows === 0;
      visibleTotal += visibleRows;
    }
    if (table.found) table.found.textContent = query ? `${visibleTotal} of ${table.rows.length} rows` : "";
    sortTable(table);
  }
};
for (const table of longTables) {
  if (table.frame.dataset.sortable === undefined) continue;
  addSorting(table);
  if (table.rows.length >= 15) addFilter(table);
}
watch(showRows);
// On a phone the stylesheet lists the cells of these tables, each with the head of its column.
const MAX_LISTED_ROWS = 4;
for (const { frame, rows, heads } of longTables) {
  if (!["table-capabilities", "table-gates"].includes(frame.id) || rows.length > MAX_LISTED_ROWS) continue;
  frame.classList.add("listed");
  rows.forEach((row) => [...row.cells].forEach((cell, column) => { cell.dataset.head = heads[column].firstChild.textContent; }));
}
