// The table of contents: marks the current section, and links to the what-if section.
const nav = document.querySelector("nav[aria-label='Contents']");
if (nav && section && !section.hidden) {
  const previous = section.previousElementSibling?.closest("section[id]");
  const link = previous && nav.querySelector(`a[href="#${CSS.escape(previous.id)}"]`);
  const entry = element("li", {}, element("a", { href: `#${section.id}` }, section.querySelector("h2").textContent));
  if (link) link.closest("li").after(entry);
  else nav.querySelector("ol, ul")?.append(entry);
}
const links = new Map(all("a[href^='#']", nav ?? document.createElement("nav")).map((link) => [decodeSafely(link.getAttribute("href").slice(1)), link]));
const visibleSections = new Set();
const observer = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) visibleSections[isIntersecting ? "add" : "delete"](target.id);
  const current = [...links.keys()].filter((id) => visibleSections.has(id)).at(-1);
  if (current === undefined) return;
  for (const [id, link] of links) {
    if (id === current) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }
  const link = links.get(current);
  // The contents scroll only where they are a sidebar.
  if (nav.scrollHeight > nav.clientHeight) nav.scrollTop = link.offsetTop - nav.clientHeight / 2;
}, { rootMargin: "-15% 0px -80% 0px" });
for (const id of links.keys()) {
  const target = document.getElementById(id);
  if (target) observer.observe(target);
}
notify();
restore();
