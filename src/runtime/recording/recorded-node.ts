import { isRecord, parseJson } from "../../base/text/json-value.js";
import type { PlayedBlock, RecordedChain } from "./recorded-chain.js";
import type { RawObject } from "./recording.js";
import { quantity } from "./whole-block.js";

/** Maximum number of requests in one body. */
const mostRequests = 1_000;

/** Length of a hash in characters, with the prefix. */
const hashLength = 66;

/** The refusal of a request: the `error` of its answer. */
class Refusal extends Error {
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

type Method = (chain: RecordedChain, parameters: readonly unknown[]) => unknown;

const methods: Readonly<Record<string, Method>> = {
  web3_clientVersion: () => "graphloom/recording",
  net_version: ({ chainId }) => String(chainId),
  eth_chainId: ({ chainId }) => quantity(chainId),
  eth_blockNumber: ({ head }) => quantity(head.number),
  eth_getBlockByNumber: (chain, [number, isWhole]) => blockJson(numbered(chain, number), isWhole),
  eth_getBlockByHash: (chain, [hash, isWhole]) => blockJson(chain.blockOf(hex(hash)), isWhole),
  eth_getBlockReceipts: (chain, [block]) => named(chain, block)?.receipts ?? null,
  eth_getTransactionReceipt: (chain, [hash]) => withTransaction(chain, hex(hash), "receipts"),
  eth_getTransactionByHash: (chain, [hash]) => withTransaction(chain, hex(hash), "transactions"),
  eth_getLogs: (chain, [filter]) => logs(chain, filter),
  eth_call: (chain, [call, block]) => callContract(chain, call, block),
  eth_getCode: (chain, [address, block]) => chain.code(existing(chain, block), hex(address)),
};

/**
 * Answers a JSON-RPC body, which is one request or a batch, as a node of the recorded chain would. Balances, storage
 * and traces are not recorded. It never throws.
 * @returns the answer as JSON
 */
export function answerRecorded(chain: RecordedChain, body: string): string {
  const asked = parseJson(body);
  if (!Array.isArray(asked)) return JSON.stringify(answerOne(chain, asked));
  if (asked.length > mostRequests)
    return JSON.stringify(failure(null, -32600, "too many requests in one batch"));
  return JSON.stringify(asked.map((request) => answerOne(chain, request)));
}

function answerOne(chain: RecordedChain, request: unknown): RawObject {
  if (request === undefined) return failure(null, -32700, "not JSON");
  if (!isRecord(request) || typeof request.method !== "string") return failure(null, -32600, "not a request");
  const id = request.id ?? null;
  const method = Object.hasOwn(methods, request.method) ? methods[request.method] : undefined;
  if (!method)
    return failure(id, -32601, `method ${request.method} is not available: the chain is a recording`);
  try {
    const parameters = Array.isArray(request.params) ? request.params : [];
    return { jsonrpc: "2.0", id, result: method(chain, parameters) };
  } catch (error) {
    if (error instanceof Refusal) return failure(id, error.code, error.message);
    throw error;
  }
}

function failure(id: unknown, code: number, message: string): RawObject {
  return { jsonrpc: "2.0", id, error: { code, message } };
}

function hex(value: unknown): string {
  if (typeof value === "string" && /^0x[0-9a-f]*$/i.test(value)) return value.toLowerCase();
  throw new Refusal(-32602, "invalid params: expected a hex string");
}

/** The block that a number or a tag such as `latest` names; `undefined` beyond the head. */
function numbered(chain: RecordedChain, name: unknown): PlayedBlock | undefined {
  if (name === undefined || name === "latest" || name === "pending") return chain.head;
  if (name === "earliest") return chain.range(0, chain.head.number)[0];
  // Two epochs behind the head, if the chain has that many blocks.
  if (name === "safe" || name === "finalized") return chain.block(chain.head.number - 64);
  return chain.block(Number(hex(name)));
}

/** The block that a number, a tag, a hash, or an object with a hash or a number names. */
function named(chain: RecordedChain, name: unknown): PlayedBlock | undefined {
  if (typeof name === "string" && name.length === hashLength) return chain.blockOf(hex(name));
  if (!isRecord(name)) return numbered(chain, name);
  return name.blockHash === undefined
    ? numbered(chain, name.blockNumber)
    : chain.blockOf(hex(name.blockHash));
}

function existing(chain: RecordedChain, name: unknown): PlayedBlock {
  const block = named(chain, name);
  if (block) return block;
  throw new Refusal(-32000, "header not found");
}

function blockJson(block: PlayedBlock | undefined, isWhole: unknown): unknown {
  if (!block) return null;
  if (isWhole === true) return block.json;
  return { ...block.json, transactions: block.json.transactions.map(({ hash }) => hash) };
}

/** The receipt or transaction in its canonical block; null when no such block contains the transaction. */
function withTransaction(chain: RecordedChain, hash: string, what: "receipts" | "transactions"): unknown {
  for (const block of chain.range(0, chain.head.number)) {
    const index = block.json.transactions.findIndex((transaction) => transaction.hash === hash);
    if (index >= 0) return (what === "receipts" ? block.receipts : block.json.transactions)[index];
  }
  return null;
}

function logs(chain: RecordedChain, filter: unknown): readonly RawObject[] {
  if (!isRecord(filter)) throw new Refusal(-32602, "invalid params: expected a filter");
  const fits = matcherOf(filter);
  if (filter.blockHash !== undefined)
    return existing(chain, { blockHash: filter.blockHash }).logs.filter(fits);
  const from = existing(chain, filter.fromBlock ?? "latest").number;
  const to = numbered(chain, filter.toBlock)?.number ?? chain.head.number;
  return chain.range(from, to).flatMap((block) => block.logs.filter(fits));
}

/** A matcher for addresses and topics. Each may be one value, a list of alternatives, or absent. */
function matcherOf({ address, topics }: RawObject): (log: RawObject) => boolean {
  const addresses = optionsOf(address);
  const places = (Array.isArray(topics) ? topics : []).map(optionsOf);
  return (log) => {
    const own = log.topics as readonly string[];
    if (addresses && !addresses.has(String(log.address))) return false;
    return places.every((options, index) => !options || options.has(own[index] ?? ""));
  };
}

function optionsOf(value: unknown): ReadonlySet<string> | undefined {
  if (value === undefined || value === null) return undefined;
  const all = (Array.isArray(value) ? value : [value]).map(hex);
  return all.length === 0 ? undefined : new Set(all);
}

function callContract(chain: RecordedChain, call: unknown, name: unknown): string {
  if (!isRecord(call)) throw new Refusal(-32602, "invalid params: expected a call");
  const block = existing(chain, name);
  const result = chain.call(block, hex(call.to), hex(call.data ?? call.input ?? "0x"));
  if (result === undefined) throw new Refusal(3, "execution reverted");
  return result;
}
