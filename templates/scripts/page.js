// What all parts of the page share: elements, words for those who listen, numbers as text.
const all = (selector, within = document) => [...within.querySelectorAll(selector)];
const make = (tag, attributes = {}, ...children) => {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(name, value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
};
const written = document.getElementById("what-if-data");
const data = written ? JSON.parse(written.textContent) : { classifiers: [], axes: [], measures: [], threshold_measures: [], prevalence_measures: [], classes: [] };
const [thousands, point] = data.separators ?? ["\u202f", "."];

const spoken = make("p", { class: "visually-hidden", role: "status", "aria-live": "polite" });
document.body.append(spoken);
const say = (words) => { spoken.textContent = words; };

// Numbers are written as the report writes them: of 15 decimal digits, a 5 is rounded up.
const fixed = (number, decimals) => {
  const [mantissa, exponent] = Math.abs(number).toExponential(14).split("e");
  const digits = (Math.round(Number(`${mantissa}e${Number(exponent) + decimals}`)) / 10 ** decimals).toFixed(decimals);
  const [whole, part] = digits.split(".");
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, thousands);
  const sign = number < 0 && /[1-9]/.test(digits) ? "\u2212" : "";
  return sign + grouped + (part ? point + part : "");
};
const isWhole = (number) => Math.abs(number - Math.round(number)) < 1e-12;
const powerOfTen = (number) => (Math.abs(number) < 1e-12 ? 0 : Number(Math.abs(number).toExponential(2).split("e")[1]));
const anyDecimals = (number) => Math.max(2 - powerOfTen(number), powerOfTen(number) < 2 ? 2 : 0);
const raised = (digits) => [...digits].map((digit) => (digit === "-" ? "\u207b" : "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079"[digit])).join("");
const ofAnySize = (number) => {
  const power = powerOfTen(number);
  if (power >= -4 && power < 9) return fixed(number, anyDecimals(number));
  const [mantissa, exponent] = number.toExponential(2).split("e");
  return `${fixed(Number(mantissa), 2)}\u202f\u00d7\u202f10${raised(String(Number(exponent)))}`;
};
const ofUnit = (number, decimals, neverZero) => {
  const least = 10 ** -decimals;
  if ((neverZero || !isWhole(number)) && Math.abs(number) < least / 2) return number < 0 ? `>\u2212${fixed(least, decimals)}` : `<${fixed(least, decimals)}`;
  if (!isWhole(number) && number >= 1 - least / 2 && number < 1) return `>${fixed(1 - least, decimals)}`;
  return fixed(number, decimals);
};
const shown = (number, measure) => {
  if (Number.isNaN(number)) return "undefined";
  if (!Number.isFinite(number)) return number > 0 ? "\u221e" : "\u2212\u221e";
  if (measure.high !== 1) return ofAnySize(number);
  return ofUnit(number, Math.abs(number) < 10 ? 3 : 2, measure.postfix.endsWith(" tail"));
};
// A difference has the decimals of the value it stands beside; what is not 0 is not written as 0.
const change = (number, measure, beside) => {
  if (!Number.isFinite(number)) return "";
  const least = measure.high === 1 ? 3 : Math.min(8, anyDecimals(beside));
  const words = fixed(number, least);
  if (!/[1-9]/.test(words)) return Math.abs(number) < 1e-12 ? "\u00b10" : number > 0 ? `<+${fixed(10 ** -least, least)}` : `>\u2212${fixed(10 ** -least, least)}`;
  return number > 0 ? `+${words}` : words;
};
// A number as people type it: the shortest digits that are still the same number.
const plain = (number) => String(number).replace(".", point).replace("-", "\u2212");
