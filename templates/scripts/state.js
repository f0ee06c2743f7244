// The view: what was chosen, kept in the address after the anchor so that it can be shared.
const view = new Map();
const watchers = [];
const watch = (changed) => watchers.push(changed);
const tell = () => watchers.forEach((changed) => changed());
let anchor = "";
let waiting = 0;
const address = () => {
  const query = new URLSearchParams([...view]).toString();
  const hash = anchor + (query ? `?${query}` : "");
  return location.href.split("#")[0] + (hash ? `#${hash}` : "");
};
const write = (how) => {
  clearTimeout(waiting);
  if (address() !== location.href) history[how](null, "", address());
};
// A choice can be taken back with the back button; what is dragged or typed only replaces.
const choose = (changes, { dragged = false } = {}) => {
  for (const [key, value] of Object.entries(changes)) {
    if (value === null || value === undefined || value === "") view.delete(key);
    else view.set(key, String(value));
  }
  tell();
  clearTimeout(waiting);
  // Browsers refuse more than some hundred changes of the address in half a minute.
  if (dragged) waiting = setTimeout(() => write("replaceState"), 250);
  else write("pushState");
};
const decoded = (text) => { try { return decodeURIComponent(text); } catch { return text; } };
const restore = () => {
  const [place, query] = [...location.hash.slice(1).split("?"), undefined];
  const moved = decoded(place) !== anchor;
  anchor = decoded(place);
  // A plain anchor leaves the view as it is, and takes it along.
  if (query === undefined && view.size) return write("replaceState");
  view.clear();
  for (const [key, value] of new URLSearchParams(query ?? "")) view.set(key, value);
  tell();
  if (query !== undefined && moved) document.getElementById(anchor)?.scrollIntoView();
};
addEventListener("hashchange", restore);
