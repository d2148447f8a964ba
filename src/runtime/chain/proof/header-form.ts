import { type Block, ChainError, ReorgError } from "../chain.js";
import type { DecodedBlock } from "../rpc/decode-block.js";
import { headerHash } from "./header-hash.js";

/** How often to ask again for a block whose header does not match its hash. */
const repeats = 2;
/** How many nearby headers to check if no header has matched its hash so far. */
const samples = 3;
/** After this many in a row, the node is not at fault: from here on, the chain hashes its headers differently. */
const mostInRow = 8;

/** The requests for checking a header. */
export interface HeaderRequests {
  /** The same block again; `undefined` if the node no longer has it. */
  again(): Promise<DecodedBlock | undefined | null>;
  /** The header of another block. */
  header(number: number): Promise<Header | undefined | null>;
}

/** A block without its transactions. */
export type Header = Omit<Block, "transactions">;

/**
 * Recomputes the hashes of headers, which proves their statements about logs. One node of a pool may return a header
 * that does not match the block's hash. Such a block is requested again, and marked as broken if that does not help.
 * A chain hashes its headers differently than Ethereum if several blocks, requested one by one, all fail to match.
 * Its headers cannot be proved, and are marked as foreign.
 */
export class HeaderForm {
  #form: "unknown" | "known" | "foreign" = "unknown";
  readonly #inRow = new Set<number>();
  #turn: Promise<unknown> = Promise.resolve();

  /** The block, or a better answer to the same question. */
  async judge(found: DecodedBlock, requests: HeaderRequests): Promise<DecodedBlock> {
    if (this.#accepts(found.block)) return found;
    if (this.#form === "foreign") return marked(found, "foreign");
    // One after the other, since simultaneous requests may reach the same node of a pool.
    const judged = this.#turn.then(() => this.#judgeStrange(found, requests));
    this.#turn = judged.catch(() => undefined);
    return judged;
  }

  #accepts(header: Header): boolean {
    if (headerHash(header) !== header.hash) return false;
    this.#form = "known";
    this.#inRow.clear();
    return true;
  }

  async #judgeStrange(found: DecodedBlock, requests: HeaderRequests): Promise<DecodedBlock> {
    if (this.#form === "foreign") return marked(found, "foreign");
    const { number } = found.block;
    for (let repeat = 0; repeat < repeats; repeat++) {
      const other = await requests.again();
      if (other && this.#accepts(other.block)) return other;
    }
    if (this.#form === "unknown") await this.#lookAround(number, requests);
    else if (this.#inRow.add(number).size >= mostInRow) this.#form = "foreign";
    return marked(found, this.#form === "foreign" ? "foreign" : "broken");
  }

  async #lookAround(number: number, { header }: HeaderRequests): Promise<void> {
    for (let step = 1; step <= samples; step++) {
      const found = await header(number > samples ? number - step : number + step).catch((error: unknown) => {
        if (error instanceof ChainError || error instanceof ReorgError) return undefined;
        throw error;
      });
      if (found && this.#accepts(found)) return;
    }
    this.#form = "foreign";
  }
}

function marked({ block, ...rest }: DecodedBlock, unprovedHeader: "foreign" | "broken"): DecodedBlock {
  return { ...rest, block: { ...block, unprovedHeader } };
}
