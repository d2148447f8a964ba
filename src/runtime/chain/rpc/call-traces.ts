import { type Block, type CallFilter, type CallTrace, ChainError, ReorgError, type Trace } from "../chain.js";
import { type Fields, objectsOf } from "../fields.js";
import { RpcError, saysUnknownMethod } from "../rpc-errors.js";
import { allFlatTraces, allTreeTraces } from "./decode-all-traces.js";
import { type CallKind, checkTraced, decodeFlatTraces, decodeTraceTrees, isWhole } from "./decode-trace.js";
import type { RpcClient } from "./rpc-client.js";

const flatMethod = "trace_block";
const treesMethod = "debug_traceBlockByHash";
/**
 * After this many answers in a row with the same number of traces, they are accepted although some seem to be
 * missing, because some nodes count traces differently.
 */
const enoughAlike = 4;
const mostAttempts = 12;

/**
 * Finds calls in the traces of blocks. It uses the tracing method that the node supports, and detects it once.
 */
export class CallTraces {
  readonly #client: RpcClient;
  readonly #kinds: ReadonlySet<CallKind>;
  #method: typeof flatMethod | typeof treesMethod | undefined;

  constructor(client: RpcClient, kinds: readonly CallKind[]) {
    this.#client = client;
    this.#kinds = new Set(kinds);
  }

  /**
   * Finds calls that match the filter, in the order of execution.
   * @throws ReorgError when the traces belong to a different block
   */
  async find(block: Block, filter: CallFilter): Promise<readonly CallTrace[]> {
    if (filter.length === 0 || block.transactions.size === 0) return [];
    const traces = await this.#trace(block);
    const calls = traces.flat
      ? decodeFlatTraces(traces.flat, this.#kinds)
      : decodeTraceTrees(treesMethod, traces.trees, block, this.#kinds);
    return calls.filter(fitting(filter));
  }

  /**
   * All traces of a block, in the order of execution.
   * @throws ReorgError when the traces belong to a different block; ChainError when the node has none
   */
  async all(block: Block): Promise<readonly Trace[]> {
    const traces = await this.#trace(block);
    return traces.flat ? allFlatTraces(traces.flat) : allTreeTraces(treesMethod, traces.trees, block);
  }

  async #trace(block: Block): Promise<BlockTraces> {
    if (this.#method === flatMethod) return this.#flat(block);
    if (this.#method === treesMethod) return this.#trees(block);
    const flat = await unlessUnknown(this.#flat(block));
    if (flat) {
      this.#method = flatMethod;
      return flat;
    }
    const trees = await unlessUnknown(this.#trees(block));
    if (!trees) {
      throw new ChainError(
        `Call handlers, call filters and raw_traces need traces, but the node supports neither ${flatMethod} nor ${treesMethod} with callTracer`,
      );
    }
    this.#method = treesMethod;
    return trees;
  }

  async #flat(block: Block): Promise<BlockTraces> {
    let known = -1;
    for (let attempt = 1, alike = 0; attempt <= mostAttempts; attempt++) {
      const answer = await this.#client.request(flatMethod, [`0x${block.number.toString(16)}`]);
      const traces = objectsOf(flatMethod, answer);
      checkTraced(flatMethod, traces, block);
      alike = traces.length === known ? alike + 1 : 1;
      known = traces.length;
      if (alike === enoughAlike || isWhole(traces)) return { flat: traces };
    }
    throw new ReorgError(
      `${flatMethod}: the node returns different traces of block ${block.number} every time`,
    );
  }

  async #trees(block: Block): Promise<BlockTraces> {
    return { trees: await this.#client.request(treesMethod, [block.hash, { tracer: "callTracer" }]) };
  }
}

/** A node's traces of a block, in one of two forms. */
type BlockTraces =
  | { readonly flat: readonly Fields[]; readonly trees?: undefined }
  | { readonly flat?: undefined; readonly trees: unknown };

/** Length of a selector in characters, with the prefix. */
const selectorLength = 10;

function fitting(filter: CallFilter): (call: CallTrace) => boolean {
  const everyFunction = new Set<string>();
  const wanted = new Map<string, Set<string>>();
  for (const { address, selectors } of filter) {
    if (selectors.length === 0) everyFunction.add(address);
    const known = wanted.get(address) ?? new Set();
    for (const selector of selectors) known.add(selector);
    wanted.set(address, known);
  }
  return ({ to, input, isUndone }) => {
    if (input.length < selectorLength) return false;
    if (everyFunction.has(to)) return true;
    return !isUndone && (wanted.get(to)?.has(input.slice(0, selectorLength)) ?? false);
  };
}

/** `undefined` when the node does not support the method. */
async function unlessUnknown<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof RpcError && saysUnknownMethod(error)) return undefined;
    throw error;
  }
}
