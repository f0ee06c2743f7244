// Filters the list of reports by all words typed.
const search = document.querySelector(".search");
const box = search.querySelector("input");
const resultCount = document.getElementById("search-found");
const reports = [...document.querySelectorAll(".report")];
const filter = () => {
  const query = box.value.normalize("NFD").replace(/\p{M}/gu, "").toLocaleLowerCase("en");
  const words = query.split(/\s+/).filter(Boolean);
  let count = 0;
  for (const report of reports) {
    const matches = words.every((word) => report.dataset.words.includes(word));
    report.hidden = !matches;
    count += matches ? 1 : 0;
  }
  resultCount.textContent = words.length ? `${count} of ${reports.length} shown` : "";
};
box.addEventListener("input", filter);
search.hidden = reports.length < 2;
// The browser restores the input when it goes back.
filter();
