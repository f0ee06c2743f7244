// What is wider than the page scrolls by itself: reached by keyboard only then, and seen to go on.
const scrollers = all(".scroll, .formula, .where");
const fitted = new ResizeObserver((entries) => entries.forEach(({ target }) => fit(target)));
const fit = (frame) => {
  // Without any tolerance: what can be scrolled by one pixel must be reached by keyboard as well.
  const scrolls = frame.scrollWidth > frame.clientWidth;
  frame.classList.toggle("more", scrolls && frame.scrollLeft + frame.clientWidth < frame.scrollWidth - 2);
  // Curves are read with the arrow keys, whether they scroll or not.
  if (frame.dataset.read !== undefined) return;
  if (scrolls) frame.tabIndex = 0;
  else frame.removeAttribute("tabindex");
  if (frame.matches(".scroll")) return;
  for (const [name, value] of [["role", "group"], ["aria-label", "Formula"]]) {
    if (scrolls) frame.setAttribute(name, value);
    else frame.removeAttribute(name);
  }
};
for (const frame of scrollers) {
  fitted.observe(frame);
  frame.addEventListener("scroll", () => fit(frame), { passive: true });
}
watch(() => scrollers.forEach(fit));
