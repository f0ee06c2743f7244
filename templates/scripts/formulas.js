// Values of measures, computed from the formulas of the report in postfix notation.
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
const evaluatePostfix = (postfix, counts) => {
  const stack = [];
  for (const token of postfix.split(" ")) {
    if (token in counts) stack.push(counts[token]);
    else if (token in unary) stack.push(unary[token](stack.pop()));
    else if (token in binary) {
      const right = stack.pop();
      stack.push(binary[token](stack.pop(), right));
    } else stack.push(Number(token));
  }
  return stack[0];
};
const measureValue = (measure, counts) => {
  if (measure.requires.some((part) => evaluatePostfix(part, counts) === 0)) return NaN;
  const value = evaluatePostfix(measure.postfix, counts);
  return Math.min(Math.max(value, measure.low ?? -Infinity), measure.high ?? Infinity);
};
const undefinedReason = (measure, counts, value) => {
  if (Number.isFinite(value)) return "";
  const isSingular = Number.isNaN(value) ? Number.isNaN : (part) => Math.abs(part) === Infinity;
  const causes = Number.isNaN(value) ? measure.undefined : measure.infinite;
  return causes.find(([postfix]) => isSingular(evaluatePostfix(postfix, counts)))?.[1] ?? "";
};
const toCounts = ([tp, fn, fp, tn]) => ({ tp, fn, fp, tn });

// Cumulative true and false positives at every score.
const decodeFloat64 = (encoded) => new Float64Array(Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0)).buffer);
const cumulativeSums = (numbers) => { let sum = 0; return numbers.map((number) => (sum += number)); };
for (const axis of data.axes) if (axis.thresholds) axis.stops = decodeFloat64(axis.thresholds);
for (const classifier of data.classifiers) {
  if (classifier.axis === undefined) continue;
  classifier.scores = classifier.thresholds ? decodeFloat64(classifier.thresholds) : data.axes[classifier.axis].stops;
  classifier.tps = cumulativeSums(classifier.tp);
  classifier.fps = cumulativeSums(classifier.fp);
}
const countAtLeast = (scores, threshold) => {
  let [low, high] = [0, scores.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (scores[middle] >= threshold) low = middle + 1;
    else high = middle;
  }
  return low;
};
const countsAt = (classifier, threshold) => {
  const [tp, fn, fp, tn] = classifier.counts;
  if (classifier.scores === undefined || threshold === null) return toCounts(classifier.counts);
  const index = countAtLeast(classifier.scores, threshold) - 1;
  const [truePositives, falsePositives] = index < 0 ? [0, 0] : [classifier.tps[index], classifier.fps[index]];
  return { tp: truePositives, fn: tp + fn - truePositives, fp: falsePositives, tn: fp + tn - falsePositives };
};
// Proportions of all cases at another prevalence, with the same sensitivity and specificity.
const proportionsAt = ({ tp, fn, fp, tn }, prevalence) => {
  const positives = prevalence / (tp + fn);
  const negatives = (1 - prevalence) / (fp + tn);
  return { tp: tp * positives, fn: fn * positives, fp: fp * negatives, tn: tn * negatives };
};
