// Figures in boxes: on a narrow screen, boxes that do not fit beside each other go on below.
const MIN_DRAWN_WIDTH = 320;
const boxedDrawings = all(".figure svg:not(.narrow)").map((svg) => ({
  svg,
  whole: svg.getAttribute("viewBox"),
  boxes: [...svg.children].filter((part) => !part.matches("title, desc")).map((part) => ({ part, place: part.dataset.box?.split(" ").map(Number) })),
})).filter(({ boxes }) => boxes.length > 1 && boxes.every(({ place }) => place));
const narrowScreen = matchMedia("(max-width: 30rem)");
const arrangeBoxes = () => {
  for (const { svg, whole, boxes } of boxedDrawings) {
    svg.classList.toggle("arranged", narrowScreen.matches);
    const width = Math.max(MIN_DRAWN_WIDTH, ...boxes.map(({ place }) => place[2]));
    let [x, top, bottom, row] = [0, 0, 0, -1];
    for (const { part, place: [left, upper, boxWidth, height] } of boxes) {
      // Rows stay rows.
      if (upper > row || x + boxWidth > width) [x, top] = [0, bottom];
      row = upper;
      if (narrowScreen.matches) part.setAttribute("transform", `translate(${x - left} ${top - upper})`);
      else part.removeAttribute("transform");
      x += boxWidth;
      bottom = Math.max(bottom, top + height);
    }
    svg.setAttribute("viewBox", narrowScreen.matches ? `0 0 ${width} ${bottom}` : whole);
  }
};
narrowScreen.addEventListener("change", arrangeBoxes);
arrangeBoxes();
