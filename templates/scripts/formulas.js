// Measures: the report's own formulas, read as steps; what has no value says why.
const tail = (statistic) => {
  const z = Math.sqrt(statistic / 2);
  if (Number.isNaN(z) || z === Infinity) return z === Infinity ? 0 : z;
  if (z < 2) {
    let term = z;
    let sum = z;
    for (let n = 1; term > sum * 1e-17; n += 1) sum += term *= (2 * z * z) / (2 * n + 1);
    return 1 - (2 / Math.sqrt(Math.PI)) * Math.exp(-z * z) * sum;
  }
  let fraction = z;
  for (let n = 120; n > 0; n -= 1) fraction = z + n / 2 / fraction;
  return Math.exp(-z * z) / Math.sqrt(Math.PI) / fraction;
};
const binary = { "+": (a, b) => a + b, "-": (a, b) => a - b, "*": (a, b) => a * b, "/": (a, b) => a / b, "^": (a, b) => a ** b, max: Math.max };
const unary = { sqrt: Math.sqrt, ln: Math.log, abs: Math.abs, tail };
const follow = (steps, counts) => {
  const stack = [];
  for (const step of steps.split(" ")) {
    if (step in counts) stack.push(counts[step]);
    else if (step in unary) stack.push(unary[step](stack.pop()));
    else if (step in binary) {
      const right = stack.pop();
      stack.push(binary[step](stack.pop(), right));
    } else stack.push(Number(step));
  }
  return stack[0];
};
const valueOf = (measure, counts) => {
  if (measure.requires.some((part) => follow(part, counts) === 0)) return NaN;
  const value = follow(measure.postfix, counts);
  return Math.min(Math.max(value, measure.low ?? -Infinity), measure.high ?? Infinity);
};
const reasonOf = (measure, counts, value) => {
  if (Number.isFinite(value)) return "";
  const odd = Number.isNaN(value) ? Number.isNaN : (found) => Math.abs(found) === Infinity;
  const causes = Number.isNaN(value) ? measure.undefined : measure.infinite;
  return causes.find(([steps]) => odd(follow(steps, counts)))?.[1] ?? "";
};
const counted = ([tp, fn, fp, tn]) => ({ tp, fn, fp, tn });

// From how many scores on a case counts as positive: the report's counts at every score.
const unpacked = (packed) => new Float64Array(Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0)).buffer);
const running = (steps) => { let sum = 0; return steps.map((step) => (sum += step)); };
for (const axis of data.axes) if (axis.thresholds) axis.stops = unpacked(axis.thresholds);
for (const each of data.classifiers) {
  if (each.axis === undefined) continue;
  each.scores = each.thresholds ? unpacked(each.thresholds) : data.axes[each.axis].stops;
  each.tps = running(each.tp);
  each.fps = running(each.fp);
}
const reached = (scores, threshold) => {
  let [low, high] = [0, scores.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (scores[middle] >= threshold) low = middle + 1;
    else high = middle;
  }
  return low;
};
const countsAt = (each, threshold) => {
  const [tp, fn, fp, tn] = each.counts;
  if (each.scores === undefined || threshold === null) return counted(each.counts);
  const at = reached(each.scores, threshold) - 1;
  const [found, wrong] = at < 0 ? [0, 0] : [each.tps[at], each.fps[at]];
  return { tp: found, fn: tp + fn - found, fp: wrong, tn: fp + tn - wrong };
};
// Shares of all cases where the positive class is as common as asked; the rates stay.
const sharesAt = ({ tp, fn, fp, tn }, prevalence) => {
  const positives = prevalence / (tp + fn);
  const negatives = (1 - prevalence) / (fp + tn);
  return { tp: tp * positives, fn: fn * positives, fp: fp * negatives, tn: tn * negatives };
};
