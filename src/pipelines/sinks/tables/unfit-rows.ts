/** Rows that are named at once. Whoever keeps them aside asks again for more. */
const most = 1_000;

/**
 * Finds the rows that do not fit among many, by halves.
 * @param count number of rows
 * @param fits whether a range of rows can be written after those that were found to fit; if not, it leaves nothing behind
 * @returns indexes of rows, 1,000 at most; none if each of them fits
 */
export async function unfitRows(
  count: number,
  fits: (start: number, end: number) => Promise<boolean>,
): Promise<readonly number[]> {
  const found: number[] = [];
  const search = async (start: number, end: number): Promise<void> => {
    if (start === end || found.length === most || (await fits(start, end))) return;
    if (end - start === 1) {
      found.push(start);
      return;
    }
    const middle = (start + end) >> 1;
    await search(start, middle);
    await search(middle, end);
  };
  await search(0, count);
  return found;
}
