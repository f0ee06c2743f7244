// Tools of tables and figures: copy as text, save as picture, hide classifiers; definitions and evidence in popovers.
const canPop = "popover" in HTMLElement.prototype;
const bubble = element("div", { class: "bubble", popover: "auto", role: "dialog", tabindex: "-1" });
if (canPop) document.body.append(bubble);
const showBubble = (origin, label, ...content) => {
  bubble.setAttribute("aria-label", label);
  bubble.replaceChildren(...content);
  bubble.showPopover({ source: origin });
  const place = origin.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = bubble;
  const below = place.bottom + 6 + height <= innerHeight || place.top < height + 6;
  bubble.style.left = `${Math.max(8, Math.min(place.left, document.documentElement.clientWidth - width - 8))}px`;
  bubble.style.top = `${scrollY + Math.max(8, below ? place.bottom + 6 : place.top - height - 6)}px`;
  (bubble.querySelector("button, a, input") ?? bubble).focus({ preventScroll: true });
};

// The text of a cell as it is printed: a value with its interval in brackets.
const plainText = (cell) => {
  const copy = cell.cloneNode(true);
  all(".visually-hidden, .sort-mark, .answers, .note-mark, .mark", copy).forEach((part) => part.remove());
  all("small", copy).forEach((part) => { const text = part.textContent.trim(); part.replaceWith(text.startsWith("(") ? ` ${text}` : ` (${text})`); });
  return copy.textContent.replace(/\s+/g, " ").trim();
};
const gridOf = (table) => {
  const rows = all("tr", table).filter((row) => !row.hidden && !row.closest("[hidden]"));
  return rows.map((row) => [...row.cells].flatMap((cell) => [plainText(cell), ...Array(cell.colSpan - 1).fill("")]));
};
const latexSigns = { "\\": "\\textbackslash{}", "~": "\\textasciitilde{}", "^": "\\textasciicircum{}", "\u2212": "$-$", "\u221e": "$\\infty$", "\u2265": "$\\ge$", "\u2264": "$\\le$", "\u2013": "--", "<": "\\textless{}", ">": "\\textgreater{}" };
const escapeLatex = (text) => text.replace(/[\\~^\u2212\u221e\u2265\u2264\u2013<>]|[&%$#_{}]/g, (sign) => latexSigns[sign] ?? `\\${sign}`);
const tableFormats = {
  // A spreadsheet would compute text that begins with these signs; numbers with a sign stay.
  CSV: (rows) => rows.map((row) => row.map((text) => {
    const safe = /^([=@\uff1d\uff20\uff0b\uff0d]|[+-](?!\d*\.?\d+(e[+-]?\d+)?%?$))/i.test(text) ? `'${text}` : text;
    return /[",\n]/.test(safe) || safe !== text ? `"${safe.replaceAll('"', '""')}"` : text;
  }).join(",")).join("\n"),
  Markdown: (rows) => {
    const line = (row) => `| ${row.map((text) => text.replace(/[\\|]/g, "\\$&")).join(" | ")} |`;
    return [line(rows[0]), line(rows[0].map(() => "---")), ...rows.slice(1).map(line)].join("\n");
  },
  LaTeX: (rows) => {
    const line = (row) => `${row.map(escapeLatex).join(" & ")} \\\\`;
    return [`\\begin{tabular}{l${"r".repeat(rows[0].length - 1)}}`, "\\toprule", line(rows[0]), "\\midrule", ...rows.slice(1).map(line), "\\bottomrule", "\\end{tabular}"].join("\n");
  },
};
const copyText = async (text, kind) => {
  try { await navigator.clipboard.writeText(text); } catch {
    const area = element("textarea", { class: "visually-hidden", "aria-hidden": "true" }, text);
    bubble.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
  bubble.hidePopover();
  announce(`Copied as ${kind}`);
};

// Pictures have the colours of light mode, whatever the page has.
const pictureOf = (svg) => {
  const copy = svg.cloneNode(true);
  const [, , width, height] = svg.getAttribute("viewBox").split(" ").map(Number);
  all(".spot, [hidden]", copy).forEach((part) => part.remove());
  for (const [name, value] of Object.entries({ width, height, "font-family": "Inter, sans-serif" })) copy.setAttribute(name, value);
  const paper = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  for (const [name, value] of Object.entries({ width, height, fill: "#fff" })) paper.setAttribute(name, value);
  copy.prepend(paper);
  return { text: new XMLSerializer().serializeToString(copy), width, height };
};
const saveFile = (blob, name) => {
  const url = URL.createObjectURL(blob);
  element("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
  bubble.hidePopover();
  announce(`Saved ${name}`);
};
const saveSvg = (svg, name) => saveFile(new Blob([pictureOf(svg).text], { type: "image/svg+xml" }), `${name}.svg`);
const savePng = (svg, name) => {
  const { text, width, height } = pictureOf(svg);
  const image = new Image();
  image.onload = () => {
    const canvas = element("canvas", { width: 3 * width, height: 3 * height });
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    canvas.toBlob((blob) => saveFile(blob, `${name}.png`));
  };
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
};

// Hidden classifiers: in all figures at once, and in the address.
const hiddenNames = () => new Set((view.get("hide") ?? "").split("|").filter(Boolean));
const seriesOf = (svg) => [...new Set(all("[data-series]", svg).map((mark) => mark.dataset.series))];
const toggleSeries = (name) => {
  const hidden = hiddenNames();
  if (!hidden.delete(name)) hidden.add(name);
  updateView({ hide: [...hidden].join("|") });
  announce(`${name} ${hidden.has(name) ? "hidden" : "shown"} in figures`);
};
const drawings = all(".figure svg:not(.narrow)").map((svg) => {
  const series = seriesOf(svg);
  const colours = new Map(series.map((name) => [name, new Set(all(".line[data-series]", svg).filter((line) => line.dataset.series === name).flatMap((line) => [...line.classList].filter((part) => /^s\d$/.test(part))))]));
  const legend = all("text", svg).filter((text) => !text.closest("[data-plot]") && series.includes(text.textContent));
  if (series.length > 1) for (const text of legend) {
    text.classList.add("toggle");
    text.addEventListener("click", () => toggleSeries(text.textContent));
  }
  return { svg, series, colours, legend };
});
let hiddenBefore = "";
watch(() => {
  if ((view.get("hide") ?? "") === hiddenBefore) return;
  hiddenBefore = view.get("hide") ?? "";
  const hidden = hiddenNames();
  for (const { svg, series, colours, legend } of drawings) {
    if (series.length < 2) continue;
    for (const mark of all("[data-series]", svg)) mark.toggleAttribute("hidden", hidden.has(mark.dataset.series));
    const visible = new Set(series.filter((name) => !hidden.has(name)).flatMap((name) => [...colours.get(name)]));
    const gone = new Set(series.filter((name) => hidden.has(name)).flatMap((name) => [...colours.get(name)]).filter((colour) => !visible.has(colour)));
    for (const area of all("[data-plot] .area:not([data-series])", svg)) area.toggleAttribute("hidden", [...area.classList].some((part) => gone.has(part)));
    for (const text of legend) text.classList.toggle("aside", hidden.has(text.textContent));
  }
});

const action = (label, act) => element("button", { type: "button", onclick: act }, label);
const addTools = (frame, label, build) => {
  const name = frame.querySelector(".label")?.textContent ?? "this";
  const button = element("button", { type: "button", class: "tool", "aria-haspopup": "dialog", "aria-label": `${label} ${name}` }, label);
  button.addEventListener("click", () => showBubble(button, `${label} ${name}`, ...build()));
  frame.prepend(element("div", { class: "tools" }, button));
};
if (canPop) {
  for (const frame of all(".table[id]")) {
    const table = frame.querySelector("table");
    addTools(frame, "Copy", () => Object.entries(tableFormats).map(([kind, write]) => action(kind, () => copyText(write(gridOf(table)), kind))));
  }
  // The last folded block of the methods is the paragraph for a paper.
  const methods = all(".kind-method > .details").at(-1)?.querySelector("p");
  if (methods) {
    const button = element("button", { type: "button", class: "tool", "aria-haspopup": "dialog" }, "Copy paragraph");
    button.addEventListener("click", () => showBubble(button, "Copy the methods paragraph", action("Text", () => copyText(methods.textContent.replace(/\s+/g, " ").trim(), "text"))));
    methods.after(button);
  }
  for (const { svg, series } of drawings) {
    const frame = svg.closest(".figure");
    addTools(frame, "Save", () => [
      action("SVG", () => saveSvg(svg, frame.id)),
      action("PNG", () => savePng(svg, frame.id)),
      ...(series.length > 1 ? series.map((name) => element("label", {}, element("input", { type: "checkbox", checked: !hiddenNames().has(name), onchange: () => toggleSeries(name) }), ` ${name}`)) : []),
    ]);
  }
  // A term shows its definition where it stands; the link in it leads to the section.
  for (const link of all("a.to-definition")) {
    link.addEventListener("click", (event) => {
      const source = document.getElementById(decodeSafely(link.getAttribute("href").slice(1)));
      if (!source || event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      const copy = source.cloneNode(true);
      copy.removeAttribute("id");
      const more = element("a", { href: link.getAttribute("href"), onclick: () => bubble.hidePopover() }, "All definitions");
      showBubble(link, source.querySelector("h3").textContent, copy, more);
    });
  }
  // A verdict shows what it rests on.
  const evidence = document.getElementById("comparisons");
  for (const badge of all(".kind-capabilities td .verdict, .kind-verdicts td .verdict")) {
    const [cell, row] = [badge.closest("td"), badge.closest("tr")];
    const head = badge.closest("table").tHead?.rows[0]?.cells[cell.cellIndex];
    const button = element("button", { type: "button", class: badge.className, "aria-haspopup": "dialog" }, ...badge.childNodes);
    const state = badge.title;
    button.addEventListener("click", () => showBubble(
      button, "Evidence",
      element("p", {}, element("strong", {}, plainText(row.cells[0])), head ? `: ${plainText(head)}` : ""),
      element("p", {}, plainText(cell)),
      state ? element("p", {}, state) : null,
      evidence ? element("a", { href: "#comparisons", onclick: () => bubble.hidePopover() }, "Pairwise comparisons") : null,
    ));
    badge.replaceWith(button);
  }
}
// A link to something folded unfolds it.
const unfold = (node) => { for (let fold = node?.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true; };
const unfoldTarget = () => unfold(document.getElementById(decodeSafely(location.hash.slice(1).split("?")[0])));
addEventListener("hashchange", unfoldTarget);
unfoldTarget();
