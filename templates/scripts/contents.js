// The contents follow: the section that is read is marked, and the page can be moved from there.
const nav = document.querySelector("nav[aria-label='Contents']");
if (nav && section && !section.hidden) {
  const before = section.previousElementSibling?.closest("section[id]");
  const link = before && nav.querySelector(`a[href="#${CSS.escape(before.id)}"]`);
  const entry = make("li", {}, make("a", { href: `#${section.id}` }, section.querySelector("h2").textContent));
  if (link) link.closest("li").after(entry);
  else nav.querySelector("ol, ul")?.append(entry);
}
const links = new Map(all("a[href^='#']", nav ?? document.createElement("nav")).map((link) => [decoded(link.getAttribute("href").slice(1)), link]));
const inBand = new Set();
const follower = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) inBand[isIntersecting ? "add" : "delete"](target.id);
  const current = [...links.keys()].filter((id) => inBand.has(id)).at(-1);
  if (current === undefined) return;
  for (const [id, link] of links) {
    if (id === current) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }
  const link = links.get(current);
  // Only where the contents stand beside the text do they scroll by themselves.
  if (nav.scrollHeight > nav.clientHeight) nav.scrollTop = link.offsetTop - nav.clientHeight / 2;
}, { rootMargin: "-15% 0px -80% 0px" });
for (const id of links.keys()) {
  const target = document.getElementById(id);
  if (target) follower.observe(target);
}
tell();
restore();
