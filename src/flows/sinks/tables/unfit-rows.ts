/**
 * Finds the rows that do not fit among many, by halves.
 * @param start the first row
 * @param end the row after the last one
 * @param fits whether a range of rows can be written; it must leave nothing behind
 * @returns indexes of rows, none if each of them fits alone
 */
export async function unfitRows(
  start: number,
  end: number,
  fits: (start: number, end: number) => Promise<boolean>,
): Promise<readonly number[]> {
  if (start === end || (await fits(start, end))) return [];
  if (end - start === 1) return [start];
  const middle = (start + end) >> 1;
  return [...(await unfitRows(start, middle, fits)), ...(await unfitRows(middle, end, fits))];
}
