import type { Block } from "../../runtime/chain/chain.js";
import type { KeptLogs } from "../../runtime/indexer/run-archive.js";
import type { KeptAnswer } from "./segments/segments.js";
import { WeightedMap } from "./segments/weighted-map.js";

/** The data read as of a block. */
export interface BlockReads {
  readonly block?: Block;
  /** Whether the block was already final when it was read. */
  readonly isSettled: boolean;
  readonly answers: readonly KeptAnswer[];
}

/** Approximate limits in bytes of memory: for blocks and answers, and for logs. */
const mostBytes = 64 * 1024 * 1024;
const mostLogBytes = 32 * 1024 * 1024;

interface Entry extends BlockReads {
  readonly answers: KeptAnswer[];
  bytes: number;
}

const nothing = { isSettled: false, answers: [], bytes: 0 };

/**
 * Holds a node's answers until it is known whether to store them. Over the limit, the oldest are dropped and fetched
 * again later.
 */
export class HeldReads {
  readonly #byHash = new WeightedMap<string, Entry>(mostBytes);
  readonly #logs = new WeightedMap<number, KeptLogs>(mostLogBytes);
  #lastLogs = 0;

  addBlock(block: Block, isSettled: boolean): void {
    const { answers, bytes, block: known } = this.#byHash.get(block.hash) ?? { ...nothing, answers: [] };
    if (!known) this.#set(block.hash, { block, isSettled, answers, bytes: bytes + bytesOf(block) });
  }

  block(hash: string): Block | undefined {
    return this.#byHash.get(hash)?.block;
  }

  /** Whether the block was already final when it was read. */
  isSettled(hash: string): boolean {
    return this.#byHash.get(hash)?.isSettled === true;
  }

  addAnswer(answer: KeptAnswer): void {
    const entry = this.#byHash.get(answer.hash) ?? { ...nothing, answers: [] };
    entry.answers.push(answer);
    entry.bytes += 300 + answer.question.length + answer.answer.length;
    this.#set(answer.hash, entry);
  }

  addLogs(waiting: KeptLogs): void {
    let bytes = 500 + 150 * waiting.blocks.length;
    for (const { addresses, topics } of waiting.filter)
      bytes += 10 * (addresses.length + (topics?.length ?? 0));
    for (const { data } of waiting.logs) bytes += 1_000 + data.length;
    this.#logs.set(++this.#lastLogs, waiting, bytes);
  }

  /** Removes and returns the answers about a block. */
  take(hash: string): BlockReads {
    const { bytes: _, ...reads } = this.#byHash.get(hash) ?? nothing;
    this.#byHash.delete(hash);
    return reads;
  }

  takeLogs(): readonly KeptLogs[] {
    const all = this.#logs.values;
    this.#logs.clear();
    return all;
  }

  /** Drops everything that was read as of other blocks, except logs. */
  keepOnly(hashes: ReadonlySet<string>): void {
    for (const hash of this.#byHash.keys) if (!hashes.has(hash)) this.#byHash.delete(hash);
  }

  clear(): void {
    this.#byHash.clear();
    this.#logs.clear();
  }

  #set(hash: string, entry: Entry): void {
    this.#byHash.set(hash, entry, entry.bytes);
  }
}

/** Approximate memory of a block, in bytes. */
export function bytesOf({ transactions }: Block): number {
  let bytes = 2_000;
  for (const { input } of transactions.values()) bytes += 1_000 + input.length;
  return bytes;
}
