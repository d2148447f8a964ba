/** How many rows to name at once. The caller that parks them asks again for more. */
const most = 1_000;

/**
 * Finds the rows that do not fit by bisection.
 * @param count number of rows
 * @param fits whether a range of rows can be written after the rows found to fit; if not, it must leave
 * nothing behind
 * @returns the indexes of at most 1,000 rows; empty if all rows fit
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
