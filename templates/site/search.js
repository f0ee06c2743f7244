// Filters the list of reports by all words typed, status, owner and tag; the address keeps them.
const search = document.querySelector(".search");
const box = search.querySelector("input");
const selects = [...search.querySelectorAll("select")];
const resultCount = document.getElementById("search-found");
const counts = [...document.querySelectorAll(".counts a")];
const reports = [...document.querySelectorAll(".report")];
const rows = reports.map((report) => ({
  report,
  words: report.dataset.words,
  values: { ...JSON.parse(report.dataset.values), status: [report.dataset.status] },
}));
const filter = () => {
  const query = box.value.normalize("NFD").replace(/\p{M}/gu, "").toLocaleLowerCase("en");
  const words = query.split(/\s+/).filter(Boolean);
  const chosen = selects.filter((select) => select.value);
  let count = 0;
  for (const { report, words: text, values } of rows) {
    const matches = words.every((word) => text.includes(word))
      && chosen.every((select) => values[select.dataset.filter].includes(select.value));
    report.hidden = !matches;
    count += matches ? 1 : 0;
  }
  const status = selects[0].value;
  for (const link of counts) {
    if (link.dataset.status === status) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }
  resultCount.textContent = words.length || chosen.length ? `${count} of ${reports.length} shown` : "";
};
const keep = () => {
  const parameters = new URLSearchParams();
  if (box.value) parameters.set("find", box.value);
  for (const select of selects) if (select.value) parameters.set(select.dataset.filter, select.value);
  const text = parameters.toString();
  history.replaceState(null, "", text ? `#${text}` : location.pathname + location.search);
};
const restore = () => {
  const fragment = decodeURIComponent(location.hash.slice(1));
  const isStatus = [...selects[0].options].some((option) => option.value && option.value === fragment);
  const parameters = new URLSearchParams(isStatus ? { status: fragment } : location.hash.slice(1));
  box.value = parameters.get("find") ?? "";
  for (const select of selects) {
    const value = parameters.get(select.dataset.filter) ?? "";
    select.value = [...select.options].some((option) => option.value === value) ? value : "";
  }
  filter();
};
for (const field of [box, ...selects]) {
  field.addEventListener("input", () => {
    filter();
    keep();
  });
}
for (const link of counts) {
  link.addEventListener("click", (event) => {
    event.preventDefault();
    selects[0].value = selects[0].value === link.dataset.status ? "" : link.dataset.status;
    filter();
    keep();
  });
}
addEventListener("hashchange", restore);
search.hidden = reports.length < 2;
restore();
