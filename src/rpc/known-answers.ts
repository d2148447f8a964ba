import { createHash } from "node:crypto";
import { isRecord } from "../base/text/json-value.js";

/** How long the answer to a request is valid. */
export type Lasting =
  /** Forever: about a block by hash, or about a final block. */
  | "for-ever"
  /** While the chain head stays the same, and only briefly: two nodes of a pool may disagree. */
  | "for-now"
  | "not";

/** A block this far below the head is final. */
export const safeDepth = 250;

const hash = /^0x[0-9a-f]{64}$/i;
const quantity = /^0x[0-9a-f]{1,13}$/i;

/** The position of the block among a method's parameters. */
const blockPositions: ReadonlyMap<string, number> = new Map([
  ["eth_getBlockByHash", 0],
  ["eth_getBlockByNumber", 0],
  ["eth_getBlockReceipts", 0],
  ["trace_block", 0],
  ["debug_traceBlockByHash", 0],
  ["debug_traceBlockByNumber", 0],
  ["eth_call", 1],
  ["eth_getBalance", 1],
  ["eth_getCode", 1],
]);

/**
 * Decides how long the answer to a request is valid, given a chain head. Without a head, only answers about blocks by
 * hash last.
 */
export function lastingOf(method: string, parameters: unknown, head: number | undefined): Lasting {
  if (!Array.isArray(parameters)) return "not";
  if (method === "eth_getTransactionReceipt") return "for-now";
  if (method === "eth_getLogs") return lastingOfLogs(parameters[0], head);
  const position = blockPositions.get(method);
  return position === undefined ? "not" : lastingAt(parameters[position], head);
}

function lastingOfLogs(filter: unknown, head: number | undefined): Lasting {
  if (!isRecord(filter)) return "not";
  if (filter.blockHash !== undefined) return lastingAt(filter.blockHash, head);
  return lastingAt(filter.toBlock, head);
}

function lastingAt(block: unknown, head: number | undefined): Lasting {
  if (isRecord(block)) return lastingAt(block.blockHash ?? block.blockNumber, head);
  if (typeof block !== "string") return "not";
  if (hash.test(block)) return "for-ever";
  if (!quantity.test(block)) return "not";
  return head !== undefined && Number(block) <= head - safeDepth ? "for-ever" : "for-now";
}

/**
 * The key of a request. Equal keys mean equal requests.
 * @param head the chain head, if the answer is valid only for that head
 */
export function keyOf(method: string, parameters: unknown, head?: string): string {
  const text = JSON.stringify([method, parameters, head]);
  return text.length <= 128 ? text : createHash("sha256").update(text).digest("base64");
}

interface Known {
  readonly result: Uint8Array;
  /** When it arrived, in milliseconds since 1970. */
  readonly since: number;
  /** When it expires, in milliseconds since 1970. */
  readonly until: number;
}

/** An answer valid for longer than this, in milliseconds, counts as lasting. */
const moment = 60_000;

/**
 * An LRU cache of results by key, limited in bytes. Short-lived results are removed when they expire, even if no one
 * requests them again. Both kinds share the space, and lasting results are evicted first. `LRUCache` can do neither.
 */
export class KnownAnswers {
  /** In order of last use. */
  readonly #lasting = new Map<string, Known>();
  /** In the order of arrival, which is roughly the order of expiry. */
  readonly #passing = new Map<string, Known>();
  readonly #mostBytes: number;
  #bytes = 0;

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  get size(): number {
    return this.#bytes;
  }

  /**
   * @param now milliseconds since 1970
   * @param oldest the maximum age of an answer in milliseconds; older answers stay for other callers
   */
  get(key: string, now: number, oldest = Number.POSITIVE_INFINITY): Uint8Array | undefined {
    const passing = this.#passing.get(key);
    if (passing && passing.until > now && now - passing.since <= oldest) return passing.result;
    const known = this.#lasting.get(key);
    if (!known) return undefined;
    if (known.until <= now) {
      this.drop(key);
      return undefined;
    }
    if (now - known.since > oldest) return undefined;
    // Makes it the last to evict.
    this.#lasting.delete(key);
    this.#lasting.set(key, known);
    return known.result;
  }

  clear(): void {
    this.#lasting.clear();
    this.#passing.clear();
    this.#bytes = 0;
  }

  drop(key: string): void {
    for (const answers of [this.#lasting, this.#passing]) this.#drop(answers, key);
  }

  /**
   * @param result copied, because it is part of a batch answer
   * @param until milliseconds since 1970, as is now
   */
  set(key: string, result: Uint8Array, until: number, now: number): void {
    this.#forgetPassed(now);
    if (result.length > this.#mostBytes / 8 || isNothing(result)) return;
    this.drop(key);
    const answers = until - now > moment ? this.#lasting : this.#passing;
    // A Buffer's `slice` is a view, which would keep the whole batch answer in memory.
    answers.set(key, { result: new Uint8Array(result), since: now, until });
    this.#bytes += sizeOf(key, result);
    for (const oldest of this.#lasting.keys()) {
      if (this.#bytes <= this.#mostBytes) return;
      this.#drop(this.#lasting, oldest);
    }
    for (const oldest of this.#passing.keys()) {
      if (this.#bytes <= this.#mostBytes) return;
      this.#drop(this.#passing, oldest);
    }
  }

  #forgetPassed(now: number): void {
    for (const [key, { until }] of this.#passing) {
      if (until > now) return;
      this.#drop(this.#passing, key);
    }
  }

  #drop(answers: Map<string, Known>, key: string): void {
    const known = answers.get(key);
    if (!known) return;
    answers.delete(key);
    this.#bytes -= sizeOf(key, known.result);
  }
}

/** The overhead of a cached answer in bytes: table entries, and Node's cost per byte array. */
const around = 400;

function sizeOf(key: string, result: Uint8Array): number {
  return key.length + result.length + around;
}

/** A lagging node may not know a block yet, so empty answers are not cached. */
function isNothing(result: Uint8Array): boolean {
  return result.length === 4 && result[0] === 0x6e;
}
