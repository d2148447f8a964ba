import { ReorgError } from "./chain.js";
import { RpcError, StrainError, saysRangeTooWide } from "./rpc-errors.js";

/** Successes in a row before a wider range is tried, so that at most one request in five is wasted. */
const confidence = 4;

/**
 * Splits ranges of blocks to what a provider accepts. The width adapts: halved when a query is refused or
 * strains the node, widened after several successes, but never to a width that was refused as such.
 */
export class LogRanges {
  #width = Number.MAX_SAFE_INTEGER;
  /** The narrowest width that was refused for its number of blocks. */
  #refused = Number.MAX_SAFE_INTEGER;
  #successes = 0;

  /**
   * The results of `query` for all blocks of a range, both ends inclusive, in order.
   * @throws what `query` throws for a single block, and every ReorgError and network failure
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

/**
 * Providers word it in too many ways to list: any refusal may mean that the range is too wide, unless the
 * block is gone.
 */
function isTooMuch(error: unknown): boolean {
  return (error instanceof RpcError || error instanceof StrainError) && !(error instanceof ReorgError);
}
