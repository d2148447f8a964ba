/** Shorter names differ by a single typo from too many others. */
const shortestSlip = 4;

/** Whether names differ in case, or by one letter added, missing, replaced or transposed. */
export function isSlip(written: string, meant: string): boolean {
  const [a, b] = [written.toLowerCase(), meant.toLowerCase()];
  if (a === b) return true;
  let start = 0;
  while (start < a.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < Math.min(a.length, b.length) - start && a.at(-1 - end) === b.at(-1 - end)) end += 1;
  const [x, y] = [a.slice(start, a.length - end), b.slice(start, b.length - end)];
  const isOne = x.length <= 1 && y.length <= 1;
  const isSwap = x.length === 2 && y.length === 2 && x[0] === y[1] && x[1] === y[0];
  return (isOne || isSwap) && Math.min(a.length, b.length) >= shortestSlip;
}
