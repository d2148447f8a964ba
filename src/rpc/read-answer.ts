import { AnswerTooLong } from "../web/http/read-bytes.js";

/** A node's answer is nested deeper than any valid answer. */
export class AnswerTooDeep extends Error {
  override readonly name = "AnswerTooDeep";
}

/** Traces nest calls up to 1,024 deep, and each is an object in a list. */
const deepest = 2_500;
const [quote, backslash, openList, closeList, open, close] = [0x22, 0x5c, 0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Reads a node's answer and checks its depth chunk by chunk before a parser sees it. Endless nesting would make a
 * parser block its thread.
 * @param most the maximum number of bytes
 * @throws AnswerTooLong, AnswerTooDeep; the rest is not read
 */
export async function readAnswer(response: Response, most: number): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  const depth = new Depth();
  let length = 0;
  for await (const piece of response.body ?? []) {
    length += piece.length;
    if (length > most) throw new AnswerTooLong(`the answer is longer than ${most / 1_048_576} MiB`);
    if (depth.add(piece) > deepest)
      throw new AnswerTooDeep(`the answer is nested more than ${deepest} levels deep`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

/** Tracks the nesting depth of JSON as it arrives. */
class Depth {
  #depth = 0;
  #deepest = 0;
  #isText = false;
  #isEscaped = false;

  /** @returns the greatest depth so far */
  add(bytes: Uint8Array): number {
    for (let at = 0; at < bytes.length; at++)
      at = this.#isText ? this.#endOfText(bytes, at) : this.#step(bytes, at);
    return this.#deepest;
  }

  #step(bytes: Uint8Array, at: number): number {
    switch (bytes[at]) {
      case quote:
        this.#isText = true;
        break;
      case open:
      case openList:
        this.#depth += 1;
        this.#deepest = Math.max(this.#deepest, this.#depth);
        break;
      case close:
      case closeList:
        this.#depth -= 1;
    }
    return at;
  }

  /** @returns the position after the string, or that the string continues beyond the chunk */
  #endOfText(bytes: Uint8Array, from: number): number {
    for (let at = from; at < bytes.length; at++) {
      const isEscaped = this.#isEscaped;
      this.#isEscaped = !isEscaped && bytes[at] === backslash;
      if (isEscaped || bytes[at] !== quote) continue;
      this.#isText = false;
      return at;
    }
    return bytes.length;
  }
}
