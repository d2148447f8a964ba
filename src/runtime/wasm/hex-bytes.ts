/** Maximum number of cached strings, and the maximum length of a cached string. */
const mostTexts = 1_000;
const longest = 1_024;

/**
 * Decodes hex strings, with a cache. Most strings repeat with every log of a block or a transaction, and copying their
 * bytes is faster than decoding them again.
 */
export class HexBytes {
  readonly #known = new Map<string, Uint8Array>();

  /** @param text hex with 0x */
  of(text: string): Uint8Array {
    const known = this.#known.get(text);
    if (known) return known;
    const bytes = Buffer.from(text.slice(2), "hex");
    if (text.length > longest) return bytes;
    if (this.#known.size === mostTexts) this.#known.clear();
    this.#known.set(text, bytes);
    return bytes;
  }
}
