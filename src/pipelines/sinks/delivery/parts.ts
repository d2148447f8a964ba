/**
 * Cuts a list into the parts that one request each can have.
 * @param most items of a part
 * @param longest size of a part, unless a single item is larger
 * @returns the first item of each part, and the one after its last
 */
export function* partsOf(
  sizes: readonly number[],
  most: number,
  longest: number,
): Generator<{ readonly start: number; readonly end: number }, void, void> {
  for (let start = 0; start < sizes.length; ) {
    let end = start + 1;
    let size = sizes[start] ?? 0;
    while (end < sizes.length && end - start < most && size + (sizes[end] ?? 0) <= longest) {
      size += sizes[end] ?? 0;
      end += 1;
    }
    yield { start, end };
    start = end;
  }
}
