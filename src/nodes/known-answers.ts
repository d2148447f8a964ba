import { createHash } from "node:crypto";
import { isRecord } from "../base/json-value.js";

/** How long the answer to a request holds. */
export type Lasting =
  /** For ever: it is about a block by its hash, or about one that is not replaced any more. */
  | "for-ever"
  /** As long as the chain head is the same, and a moment at the most: two nodes of a pool may not agree. */
  | "for-now"
  | "not";

/** A block this far below the head is not replaced any more. */
export const safeDepth = 250;

const hash = /^0x[0-9a-f]{64}$/i;
const quantity = /^0x[0-9a-f]{1,13}$/i;

/** Where the parameters of a method name a block. */
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

/** How long the answer to a request holds, as seen from a chain head; without one, only what is named by a hash lasts. */
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

/** Two requests with the same key are the same. @param head of the chain, where the answer holds as long as it */
export function keyOf(method: string, parameters: unknown, head?: string): string {
  const text = JSON.stringify([method, parameters, head]);
  return text.length <= 128 ? text : createHash("sha256").update(text).digest("base64");
}

interface Known {
  readonly result: Uint8Array;
  /** Until when it holds, in milliseconds since 1970. */
  readonly until: number;
}

/** Beyond this many milliseconds an answer is one that lasts. */
const moment = 60_000;

/**
 * LRU of the results of requests, by key, up to a number of bytes. What holds for a moment only goes after it, whether
 * it is asked for again or not. Both kinds share the bytes, and what lasts makes room first, which `LRUCache` cannot do.
 */
export class KnownAnswers {
  /** In the order in which they were asked for. */
  readonly #lasting = new Map<string, Known>();
  /** In the order in which they came, which is about that in which they end. */
  readonly #passing = new Map<string, Known>();
  readonly #mostBytes: number;
  #bytes = 0;

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  /** Bytes that are kept. */
  get size(): number {
    return this.#bytes;
  }

  /** @param now milliseconds since 1970 */
  get(key: string, now: number): Uint8Array | undefined {
    const passing = this.#passing.get(key);
    if (passing && passing.until > now) return passing.result;
    const known = this.#lasting.get(key);
    if (!known) return undefined;
    if (known.until <= now) {
      this.drop(key);
      return undefined;
    }
    // It is the last to go now.
    this.#lasting.delete(key);
    this.#lasting.set(key, known);
    return known.result;
  }

  /** Forgets everything. */
  clear(): void {
    this.#lasting.clear();
    this.#passing.clear();
    this.#bytes = 0;
  }

  /** Forgets a result. */
  drop(key: string): void {
    for (const answers of [this.#lasting, this.#passing]) this.#drop(answers, key);
  }

  /**
   * @param result is copied, since it lies in the answer to many requests
   * @param until milliseconds since 1970, as is now
   */
  set(key: string, result: Uint8Array, until: number, now: number): void {
    this.#forgetPassed(now);
    if (result.length > this.#mostBytes / 8 || isNothing(result)) return;
    this.drop(key);
    const answers = until - now > moment ? this.#lasting : this.#passing;
    // What `slice` gives of a Buffer is a view, which would keep the whole answer to many requests.
    answers.set(key, { result: new Uint8Array(result), until });
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

/** Bytes that a kept answer takes beside its text: the places in tables, and what Node has for each array of bytes. */
const around = 400;

function sizeOf(key: string, result: Uint8Array): number {
  return key.length + result.length + around;
}

/** A node that lags behind knows nothing of a block yet: nothing is not kept. */
function isNothing(result: Uint8Array): boolean {
  return result.length === 4 && result[0] === 0x6e;
}
