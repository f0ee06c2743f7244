// The view: the user's choices, stored in the URL fragment so that they can be shared.
const view = new Map();
const watchers = [];
const watch = (callback) => watchers.push(callback);
const notify = () => watchers.forEach((callback) => callback());
let anchor = "";
let timer = 0;
const address = () => {
  const query = new URLSearchParams([...view]).toString();
  const hash = anchor + (query ? `?${query}` : "");
  return location.href.split("#")[0] + (hash ? `#${hash}` : "");
};
const write = (method) => {
  clearTimeout(timer);
  if (address() !== location.href) history[method](null, "", address());
};
// The back button undoes a choice; dragging and typing replace the current entry.
const updateView = (changes, { dragged = false } = {}) => {
  for (const [key, value] of Object.entries(changes)) {
    if (value === null || value === undefined || value === "") view.delete(key);
    else view.set(key, String(value));
  }
  notify();
  clearTimeout(timer);
  // Browsers limit the rate of changes of the URL.
  if (dragged) timer = setTimeout(() => write("replaceState"), 250);
  else write("pushState");
};
const decodeSafely = (text) => { try { return decodeURIComponent(text); } catch { return text; } };
const restore = () => {
  const [anchorText, query] = [...location.hash.slice(1).split("?"), undefined];
  const anchorChanged = decodeSafely(anchorText) !== anchor;
  anchor = decodeSafely(anchorText);
  // An anchor without a query keeps the current view.
  if (query === undefined && view.size) return write("replaceState");
  view.clear();
  for (const [key, value] of new URLSearchParams(query ?? "")) view.set(key, value);
  notify();
  if (query !== undefined && anchorChanged) document.getElementById(anchor)?.scrollIntoView();
};
addEventListener("hashchange", restore);
