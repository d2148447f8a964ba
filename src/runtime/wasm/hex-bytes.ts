/** Texts that are remembered at the most, and the length up to which. */
const mostTexts = 1_000;
const longest = 1_024;

/**
 * What hexadecimal texts stand for. Most of them come again and again, with every log of a block or a transaction, and
 * are copied faster than they are read anew.
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
