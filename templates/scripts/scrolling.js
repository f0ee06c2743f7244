// Elements wider than the page scroll: only then they are focusable and marked as continued.
const scrollers = all(".scroll, .formula, .where");
const resizeObserver = new ResizeObserver((entries) => entries.forEach(({ target }) => updateScrollable(target)));
const updateScrollable = (frame) => {
  // Without tolerance: an element that scrolls by one pixel must be focusable as well.
  const scrolls = frame.scrollWidth > frame.clientWidth;
  // A frame that does not scroll is none, so that the heads of its table stay in view.
  frame.classList.toggle("fits", !scrolls);
  frame.classList.toggle("more", scrolls && frame.scrollLeft + frame.clientWidth < frame.scrollWidth - 2);
  // Charts are always focusable, for the arrow keys.
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
  resizeObserver.observe(frame);
  frame.addEventListener("scroll", () => updateScrollable(frame), { passive: true });
}
watch(() => scrollers.forEach(updateScrollable));
