/**
 * Cuts pieces of any size into parts of one size; the last one may be smaller. Without bytes, there is one empty part.
 * @param size bytes of a part
 */
export async function* cutParts(
  pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  size: number,
): AsyncGenerator<Uint8Array> {
  let waiting: Uint8Array[] = [];
  let length = 0;
  let isEmpty = true;
  for await (const piece of pieces)
    for (let from = 0; from < piece.length; ) {
      const taken = piece.subarray(from, from + size - length);
      waiting.push(taken);
      length += taken.length;
      from += taken.length;
      if (length < size) continue;
      yield Buffer.concat(waiting);
      [waiting, length, isEmpty] = [[], 0, false];
    }
  if (length > 0 || isEmpty) yield Buffer.concat(waiting);
}
