import { createHash } from "node:crypto";
import { isRecord } from "../../../base/json-value.js";

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
  if (method === "eth_chainId") return "for-ever";
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

/** Two requests with the same key are the same. */
export function keyOf(method: string, parameters: unknown): string {
  const text = `${method} ${JSON.stringify(parameters)}`;
  return text.length <= 128 ? text : createHash("sha256").update(text).digest("base64");
}

interface Known {
  readonly result: Uint8Array;
  /** Until when it holds, in milliseconds since 1970. */
  readonly until: number;
}

/** Results of requests, by key, up to a number of bytes: what was not asked for longest goes first. */
export class KnownAnswers {
  readonly #known = new Map<string, Known>();
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
    const known = this.#known.get(key);
    if (!known) return undefined;
    this.#drop(key, known);
    if (known.until <= now) return undefined;
    this.#known.set(key, known);
    this.#bytes += sizeOf(key, known);
    return known.result;
  }

  /** @param result is copied, since it lies in the answer to many requests */
  set(key: string, result: Uint8Array, until: number): void {
    if (result.length > this.#mostBytes / 8 || isNothing(result)) return;
    const known = { result: result.slice(), until };
    const before = this.#known.get(key);
    if (before) this.#drop(key, before);
    this.#known.set(key, known);
    this.#bytes += sizeOf(key, known);
    for (const [oldest, one] of this.#known) {
      if (this.#bytes <= this.#mostBytes) return;
      this.#drop(oldest, one);
    }
  }

  #drop(key: string, known: Known): void {
    this.#known.delete(key);
    this.#bytes -= sizeOf(key, known);
  }
}

function sizeOf(key: string, { result }: Known): number {
  return key.length + result.length + 100;
}

/** A node that lags behind knows nothing of a block yet: nothing is not kept. */
function isNothing(result: Uint8Array): boolean {
  return result.length === 4 && result[0] === 0x6e;
}
