import { ReorgError } from "./chain.js";
import { RpcError, StrainError, saysRangeTooWide } from "./rpc-errors.js";

/** How many successes in a row before a wider range is tried: one try in five may then be in vain. */
const confidence = 4;

/**
 * Asks for ranges of blocks no wider than a provider takes. The width is learned: halved when a query is refused or
 * too much for the node, and widened again after some successes, but never to a width that was refused as such.
 */
export class LogRanges {
  #width = Number.MAX_SAFE_INTEGER;
  /** The narrowest that was refused for its number of blocks. */
  #refused = Number.MAX_SAFE_INTEGER;
  #successes = 0;

  /**
   * What `query` finds in all blocks of a range, both ends included, in order.
   * @throws what `query` throws for a single block, and every ReorgError and failure of the network
   */
  async each<T>(
    from: number,
    to: number,
    query: (from: number, to: number) => Promise<readonly T[]>,
  ): Promise<readonly (readonly T[])[]> {
    const found: (readonly T[])[] = [];
    for (let start = from; start <= to; ) {
      const blocks = Math.min(this.#width, to - start + 1);
      try {
        found.push(await query(start, start + blocks - 1));
        this.#succeed(blocks);
        start += blocks;
      } catch (error) {
        if (blocks === 1 || !isTooMuch(error)) throw error;
        this.#narrow(blocks, error);
      }
    }
    return found;
  }

  #succeed(blocks: number): void {
    if (blocks < this.#width) return;
    this.#successes++;
    if (this.#successes < confidence) return;
    this.#successes = 0;
    const between = this.#width + Math.ceil((this.#refused - this.#width) / 2);
    this.#width = Math.max(this.#width, Math.min(this.#width * 2, between, this.#refused - 1));
  }

  #narrow(blocks: number, error: unknown): void {
    this.#successes = 0;
    if (error instanceof RpcError && saysRangeTooWide(error.reason)) {
      this.#refused = Math.min(this.#refused, blocks);
    }
    this.#width = Math.min(this.#width, Math.max(1, Math.floor(blocks / 2)));
  }
}

/** Providers say it in too many ways to list: whatever they refuse may be too much, unless the block is gone. */
function isTooMuch(error: unknown): boolean {
  return (error instanceof RpcError || error instanceof StrainError) && !(error instanceof ReorgError);
}
