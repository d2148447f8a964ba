import { type BlockPointer, type CallFilter, type CallTrace, ChainError, ReorgError } from "./chain.js";
import { type CallKind, decodeFlatTraces, decodeTraceTrees, lackHashes } from "./decode-trace.js";
import { Fields } from "./fields.js";
import type { RpcClient } from "./rpc-client.js";
import { RpcError, saysUnknownMethod } from "./rpc-errors.js";

const FLAT = "trace_block";
const TREES = "debug_traceBlockByHash";

/** Finds calls in the traces of blocks, by whichever method the node offers; that is found out once. */
export class CallTraces {
  readonly #client: RpcClient;
  readonly #kinds: ReadonlySet<CallKind>;
  #method: typeof FLAT | typeof TREES | undefined;

  constructor(client: RpcClient, kinds: readonly CallKind[]) {
    this.#client = client;
    this.#kinds = new Set(kinds);
  }

  /** Calls that fit the filter, in the order they were begun. */
  async find(block: BlockPointer, filter: CallFilter): Promise<readonly CallTrace[]> {
    const wanted = selectorsByAddress(filter);
    if (wanted.size === 0) return [];
    const calls = await this.#trace(block);
    return calls.filter((call) => wanted.get(call.to)?.has(call.input.slice(0, 10)) ?? false);
  }

  async #trace(block: BlockPointer): Promise<readonly CallTrace[]> {
    if (this.#method === FLAT) return this.#flat(block);
    if (this.#method === TREES) return this.#trees(block);
    const flat = await unlessUnknown(this.#flat(block));
    if (flat) {
      this.#method = FLAT;
      return flat;
    }
    const trees = await unlessUnknown(this.#trees(block));
    if (!trees) {
      throw new ChainError(
        `Call handlers and call filters need traces, and the node offers neither ${FLAT} nor ${TREES} with callTracer`,
      );
    }
    this.#method = TREES;
    return trees;
  }

  async #flat(block: BlockPointer): Promise<readonly CallTrace[]> {
    const answer = await this.#client.request(FLAT, [`0x${block.number.toString(16)}`]);
    if (answer === null) throw new ReorgError(`${FLAT}: there is no block ${block.number}`);
    return decodeFlatTraces(FLAT, answer, block, this.#kinds);
  }

  async #trees(block: BlockPointer): Promise<readonly CallTrace[]> {
    const answer = await this.#client.request(TREES, [block.hash, { tracer: "callTracer" }]);
    const hashes = lackHashes(TREES, answer) ? await this.#transactionHashes(block) : [];
    return decodeTraceTrees(TREES, answer, hashes, this.#kinds);
  }

  async #transactionHashes(block: BlockPointer): Promise<readonly string[]> {
    const method = "eth_getBlockByHash";
    const answer = await this.#client.request(method, [block.hash, false]);
    if (answer === null) throw new ReorgError(`${method}: block ${block.hash} is gone`);
    return new Fields(method, answer).hexList("transactions", 66);
  }
}

function selectorsByAddress(filter: CallFilter): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  for (const { address, selectors } of filter) {
    const known = found.get(address) ?? new Set();
    for (const selector of selectors) known.add(selector);
    found.set(address, known);
  }
  return found;
}

/** Nothing when the node does not offer the method. */
async function unlessUnknown<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof RpcError && saysUnknownMethod(error)) return undefined;
    throw error;
  }
}
