import type { Block, Log, LogFilter } from "../../runtime/chain/chain.js";
import type { BlockRange } from "../../runtime/indexer/tails.js";
import type { VerifyMode } from "../../runtime/indexer/verification.js";
import type { KeptAnswer } from "./segments.js";
import { WeightedMap } from "./weighted-map.js";

/** What was read as of a block. */
export interface BlockReads {
  readonly block?: Block;
  readonly answers: readonly KeptAnswer[];
}

/** Logs of a range that wait for its blocks to become final. */
export interface WaitingLogs {
  readonly range: BlockRange;
  readonly filter: LogFilter;
  readonly proof: VerifyMode;
  readonly logs: readonly Log[];
}

/** Bytes of memory, about, that blocks and answers may take, and those that logs may take. */
const mostBytes = 64 * 1024 * 1024;
const mostLogBytes = 32 * 1024 * 1024;

interface Entry extends BlockReads {
  readonly answers: KeptAnswer[];
  bytes: number;
}

/**
 * Holds what a node has answered until it is known whether it may be kept. Of too much, what was read first is let go: it
 * is fetched again one day.
 */
export class HeldReads {
  readonly #byHash = new WeightedMap<string, Entry>(mostBytes);
  readonly #logs = new WeightedMap<number, WaitingLogs>(mostLogBytes);
  #lastLogs = 0;

  addBlock(block: Block): void {
    const { answers = [], bytes = 0, block: known } = this.#byHash.get(block.hash) ?? {};
    if (!known) this.#set(block.hash, { block, answers, bytes: bytes + bytesOf(block) });
  }

  addAnswer(answer: KeptAnswer): void {
    const entry = this.#byHash.get(answer.hash) ?? { answers: [], bytes: 0 };
    entry.answers.push(answer);
    entry.bytes += 300 + answer.question.length + answer.answer.length;
    this.#set(answer.hash, entry);
  }

  addLogs(waiting: WaitingLogs): void {
    let bytes = 500;
    for (const { addresses, topics } of waiting.filter)
      bytes += 10 * (addresses.length + (topics?.length ?? 0));
    for (const { data } of waiting.logs) bytes += 1_000 + data.length;
    this.#logs.set(++this.#lastLogs, waiting, bytes);
  }

  /** What is held of a block, which is let go. */
  take(hash: string): BlockReads {
    const { block, answers = [] } = this.#byHash.get(hash) ?? {};
    this.#byHash.delete(hash);
    return { ...(block && { block }), answers };
  }

  /** All logs, which are let go. */
  takeLogs(): readonly WaitingLogs[] {
    const all = this.#logs.values;
    this.#logs.clear();
    return all;
  }

  clear(): void {
    this.#byHash.clear();
    this.#logs.clear();
  }

  #set(hash: string, entry: Entry): void {
    this.#byHash.set(hash, entry, entry.bytes);
  }
}

/** About how much memory a block takes. */
export function bytesOf({ transactions }: Block): number {
  let bytes = 2_000;
  for (const { input } of transactions.values()) bytes += 1_000 + input.length;
  return bytes;
}
