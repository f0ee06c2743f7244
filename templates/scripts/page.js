// Shared by all parts of the page: elements, announcements to screen readers, number format.
const all = (selector, within = document) => [...within.querySelectorAll(selector)];
const element = (tag, attributes = {}, ...children) => {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value === true) node.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) node.setAttribute(name, value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
};
const dataElement = document.getElementById("what-if-data");
const data = dataElement ? JSON.parse(dataElement.textContent) : { classifiers: [], axes: [], measures: [], threshold_measures: [], prevalence_measures: [], classes: [] };
const [thousands, point] = data.separators ?? ["\u202f", "."];

const liveRegion = element("p", { class: "visually-hidden", role: "status", "aria-live": "polite" });
document.body.append(liveRegion);
const announce = (text) => { liveRegion.textContent = text; };

// As the report formats numbers: rounded half up on 15 significant digits.
const formatFixed = (number, decimals) => {
  const [mantissa, exponent] = Math.abs(number).toExponential(14).split("e");
  const digits = (Math.round(Number(`${mantissa}e${Number(exponent) + decimals}`)) / 10 ** decimals).toFixed(decimals);
  const [integer, fraction] = digits.split(".");
  const grouped = integer.replace(/\B(?=(\d{3})+$)/g, thousands);
  const sign = number < 0 && /[1-9]/.test(digits) ? "\u2212" : "";
  return sign + grouped + (fraction ? point + fraction : "");
};
const isInteger = (number) => Math.abs(number - Math.round(number)) < 1e-12;
const decimalExponent = (number) => (Math.abs(number) < 1e-12 ? 0 : Number(Math.abs(number).toExponential(2).split("e")[1]));
const significantDecimals = (number) => Math.max(2 - decimalExponent(number), decimalExponent(number) < 2 ? 2 : 0);
const superscript = (digits) => [...digits].map((digit) => (digit === "-" ? "\u207b" : "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079"[digit])).join("");
const formatAnyMagnitude = (number) => {
  const power = decimalExponent(number);
  if (power >= -4 && power < 9) return formatFixed(number, significantDecimals(number));
  const [mantissa, exponent] = number.toExponential(2).split("e");
  return `${formatFixed(Number(mantissa), 2)}\u202f\u00d7\u202f10${superscript(String(Number(exponent)))}`;
};
const formatBetween0And1 = (number, decimals, neverZero) => {
  const smallest = 10 ** -decimals;
  if ((neverZero || !isInteger(number)) && Math.abs(number) < smallest / 2) return number < 0 ? `>\u2212${formatFixed(smallest, decimals)}` : `<${formatFixed(smallest, decimals)}`;
  if (!isInteger(number) && number >= 1 - smallest / 2 && number < 1) return `>${formatFixed(1 - smallest, decimals)}`;
  return formatFixed(number, decimals);
};
const formatProportion = (proportion) => {
  const percent = 100 * proportion;
  if (!isInteger(proportion) && percent > 0 && percent < 0.05) return `<0${point}1%`;
  if (!isInteger(proportion) && percent >= 99.95 && percent < 100) return `>99${point}9%`;
  return `${formatFixed(percent, 1)}%`;
};
const formatValue = (number, measure) => {
  if (Number.isNaN(number)) return "undefined";
  if (!Number.isFinite(number)) return number > 0 ? "\u221e" : "\u2212\u221e";
  if (measure.percent) return formatProportion(number);
  if (measure.high !== 1) return formatAnyMagnitude(number);
  return formatBetween0And1(number, Math.abs(number) < 10 ? 3 : 2, measure.postfix.endsWith(" tail"));
};
// A difference has the decimals of its value, that of proportions in percentage points; a nonzero difference is never formatted as 0.
const formatDifference = (number, measure, reference) => {
  if (!Number.isFinite(number)) return "";
  const [scale, unit] = measure.percent ? [100, "\u202fpp"] : [1, ""];
  const decimals = measure.percent ? 1 : measure.high === 1 ? 3 : Math.min(8, significantDecimals(reference));
  const text = formatFixed(scale * number, decimals);
  const smallest = formatFixed(10 ** -decimals, decimals);
  if (!/[1-9]/.test(text)) return Math.abs(number) < 1e-12 ? "\u00b10" : `${number > 0 ? "<+" : ">\u2212"}${smallest}${unit}`;
  return `${number > 0 ? "+" : ""}${text}${unit}`;
};
// The shortest digits that represent the number.
const formatShortest = (number) => String(number).replace(".", point).replace("-", "\u2212");
