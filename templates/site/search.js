// Shows the reports that have every word that is typed; the words of each are in the page.
const search = document.querySelector(".search");
const box = search.querySelector("input");
const found = document.getElementById("search-found");
const reports = [...document.querySelectorAll(".report")];
const filter = () => {
  const plain = box.value.normalize("NFD").replace(/\p{M}/gu, "").toLocaleLowerCase("en");
  const wanted = plain.split(/\s+/).filter(Boolean);
  let shown = 0;
  for (const report of reports) {
    const fits = wanted.every((word) => report.dataset.words.includes(word));
    report.hidden = !fits;
    shown += fits ? 1 : 0;
  }
  found.textContent = wanted.length ? `${shown} of ${reports.length} shown` : "";
};
box.addEventListener("input", filter);
search.hidden = reports.length < 2;
// A browser that goes back brings the words back, too.
filter();
