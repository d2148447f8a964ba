/** The response exceeds the size limit. */
export class AnswerTooLong extends Error {
  override readonly name = "AnswerTooLong";
}

/**
 * Reads the body of a response.
 * @param most limit in bytes
 * @param moved called after each chunk
 * @throws AnswerTooLong when there is more; the rest is not read
 */
export async function readBytes(response: Response, most: number, moved: () => void): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of response.body ?? []) {
    moved();
    length += piece.length;
    if (length > most) throw new AnswerTooLong(`the answer is longer than ${most / 1_048_576} MiB`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}
