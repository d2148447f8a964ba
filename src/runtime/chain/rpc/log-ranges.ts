import { ReorgError } from "../chain.js";
import { RpcError, StrainError, saysRangeTooWide } from "../rpc-errors.js";

/** Successes in a row before a wider range is tried; at most one request in five is wasted. */
const confidence = 4;

/**
 * Splits ranges of blocks into parts that a node accepts. The width adapts: it is halved when a query is refused or
 * strains the node, and widened after several successes, but never to a width that the node refused.
 */
export class LogRanges {
  #width = Number.MAX_SAFE_INTEGER;
  /** The narrowest width that was refused for its number of blocks. */
  #refused = Number.MAX_SAFE_INTEGER;
  #successes = 0;
  /**
   * How often in a row the node claimed not to know a block of a range, which some nodes also claim about a range
   * that is too wide.
   */
  #unknown = 0;
  /** The number of blocks of the last such range. */
  #unknownBlocks = 0;

  /**
   * The results of `query` for all blocks of a range, both ends inclusive, in order.
   * @param ends whether parts end at even (0) or odd (1) blocks, except the last part and parts of a single block
   * @throws errors of `query` for a single block, the first ReorgError in a row, and every network failure
   */
  async each<T>(
    from: number,
    to: number,
    query: (from: number, to: number) => Promise<readonly T[]>,
    ends?: 0 | 1,
  ): Promise<readonly (readonly T[])[]> {
    const found: (readonly T[])[] = [];
    for (let start = from; start <= to; ) {
      const blocks = blocksOf(start, to, this.#width, ends);
      try {
        found.push(await query(start, start + blocks - 1));
        this.#know(blocks);
        this.#succeed(blocks);
        start += blocks;
      } catch (error) {
        if (error instanceof ReorgError) {
          this.#unknown += 1;
          this.#unknownBlocks = blocks;
        }
        if (blocks === 1 || !(isTooMuch(error) || this.#unknown > 1)) throw error;
        this.#narrow(blocks, error);
      }
    }
    return found;
  }

  /** Success with a narrower range does not disprove the wider one, unless that was refused several times. */
  #know(blocks: number): void {
    const isNarrower = blocks < this.#unknownBlocks;
    if (isNarrower && this.#unknown === 1) return;
    // A part of the range works, so the node meant its width.
    if (isNarrower && this.#unknown > 1) this.#refused = Math.min(this.#refused, this.#unknownBlocks);
    this.#unknown = 0;
  }

  #succeed(blocks: number): void {
    // Where parts end at even or odd blocks, a part may have one block less than the width.
    if (blocks < this.#width - 1) return;
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

/** How many blocks the next part has. */
function blocksOf(start: number, to: number, width: number, ends: 0 | 1 | undefined): number {
  if (width > to - start) return to - start + 1;
  const isOff = ends !== undefined && (start + width - 1) % 2 !== ends;
  return isOff && width > 1 ? width - 1 : width;
}

/**
 * Nodes word this error in too many ways to list. Any refusal may mean that the range is too wide, unless the block
 * is gone.
 */
function isTooMuch(error: unknown): boolean {
  return (error instanceof RpcError || error instanceof StrainError) && !(error instanceof ReorgError);
}
