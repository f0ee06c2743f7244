"""What is asked of the words in figures, in the browser's language."""

from __future__ import annotations

# Every word of a figure, and its contrast with whatever is painted under its middle.
CONTRAST_OF_WORDS = r"""() => {
  const paint = (colour) => colour.match(/[\d.]+/g).map(Number);
  const over = (top, share, under) => under.map((part, at) => share * top[at] + (1 - share) * part);
  // Relative luminance and contrast as WCAG 2.2 defines them.
  const bent = (part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
  const light = ([r, g, b]) =>
    0.2126 * bent(r / 255) + 0.7152 * bent(g / 255) + 0.0722 * bent(b / 255);
  const paper = paint(getComputedStyle(document.body).backgroundColor).slice(0, 3);
  const found = [];
  for (const svg of document.querySelectorAll("figure svg")) {
    // The drawing for wider or narrower screens.
    if (!svg.getClientRects().length) continue;
    const shapes = [...svg.querySelectorAll("rect, path, polygon, circle, line")].map((shape) =>
      ({ shape, style: getComputedStyle(shape), back: shape.getScreenCTM().inverse() }));
    for (const words of svg.querySelectorAll("text")) {
      const box = words.getBBox();
      const middle = new DOMPoint(box.x + box.width / 2, box.y + box.height / 2)
        .matrixTransform(words.getScreenCTM());
      let ground = paper;
      for (const { shape, style, back } of shapes) {
        const before = shape.compareDocumentPosition(words) & Node.DOCUMENT_POSITION_FOLLOWING;
        const at = middle.matrixTransform(back);
        if (before && style.fill !== "none" && shape.isPointInFill(at))
          ground = over(paint(style.fill), style.opacity * style.fillOpacity, ground);
        // A thin line behind words is no ground.
        const wide = style.stroke !== "none" && parseFloat(style.strokeWidth) > 6;
        if (before && wide && shape.isPointInStroke(at))
          ground = over(paint(style.stroke), style.opacity * style.strokeOpacity, ground);
      }
      const style = getComputedStyle(words);
      const ink = over(paint(style.fill), style.opacity * style.fillOpacity, ground);
      const [dark, bright] = [light(ink), light(ground)].sort((a, b) => a - b);
      found.push({ figure: svg.closest("figure").id, words: words.textContent,
        contrast: (bright + 0.05) / (dark + 0.05) });
    }
  }
  return found;
}"""

# Words that reach over the edge of their figure, or lie on other words; slanted ones stand apart.
# Names of axes that only the script reads are not drawn and have no box.
WORDS_CUT_OR_ON_OTHERS = r"""() => [...document.querySelectorAll("figure svg")].flatMap((svg) => {
  const edge = svg.getBoundingClientRect();
  const drawn = [...svg.querySelectorAll("text")].filter((words) => words.getClientRects().length);
  const found = drawn.map((words) =>
    ({ said: words.lastChild?.textContent ?? "", slanted: words.hasAttribute("transform"),
      box: words.getBoundingClientRect() }));
  const cut = found.filter(({ box }) => box.left < edge.left - 1 || box.right > edge.right + 1
    || box.top < edge.top - 1 || box.bottom > edge.bottom + 2);
  const level = found.filter(({ slanted }) => !slanted);
  // Boxes are taller than letters by some pixels.
  const on = level.filter((one, at) => level.slice(at + 1).some(({ box }) =>
    Math.min(box.right, one.box.right) - Math.max(box.left, one.box.left) > 1.5
    && Math.min(box.bottom, one.box.bottom) - Math.max(box.top, one.box.top) > 6));
  return [...cut, ...on].map(({ said }) => `${svg.closest("figure").id}: ${said}`);
})"""
