/**
 * The candidates most similar to a word, at most five. A difference in case counts as one edit.
 * @param limit the maximum number of edits; by default, longer words allow more
 */
export function suggest(
  word: string,
  candidates: Iterable<string>,
  limit: number = Math.floor(word.length * 0.4) + 1,
): string[] {
  const scored: { name: string; distance: number }[] = [];
  for (const name of candidates) {
    const distance =
      name.toLowerCase() === word.toLowerCase()
        ? 1
        : editDistance(word.toLowerCase(), name.toLowerCase(), limit);
    if (distance <= limit) scored.push({ name, distance });
  }
  scored.sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1));
  return scored.slice(0, 5).map((entry) => entry.name);
}

/** Damerau-Levenshtein distance (adjacent swaps count once); anything beyond `limit` is `limit + 1`. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1;
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let best = Math.min(
        (previous[j] as number) + 1,
        (row[j - 1] as number) + 1,
        (previous[j - 1] as number) + cost,
      );
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        best = Math.min(best, (beforePrevious[j - 2] as number) + 1);
      }
      row.push(best);
    }
    beforePrevious = previous;
    previous = row;
  }
  return previous[b.length] as number;
}
