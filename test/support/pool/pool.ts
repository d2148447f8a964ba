import { nullRounds, unknownBlocks, type Wording } from "../chain/node-wordings.js";
import type { RangeRefusal } from "../chain/range-refusals.js";
import {
  balanceIn,
  bloomOf,
  type ChainTraits,
  makeBlock,
  type RawLog,
  type TreeBlock,
} from "./block-tree.js";
import { type Draw, drawFrom } from "./draw.js";
import {
  answerFaults,
  type Call,
  exchangeFaults,
  type Json,
  json,
  type Occasion,
  Refused,
} from "./faults.js";

import { errorOf, isTooWide, type LogLimits, refusedExchange } from "./log-limits.js";

/** The behavior of a pool of nodes. */
export interface PoolOptions {
  readonly seed: number;
  /** Initial number of blocks. */
  readonly length: number;
  /** Probability that a block holds transactions. */
  readonly busy: number;
  /** Probability that an answer is wrong, and that an exchange has a fault. */
  readonly disturbance: number;
  /** Probability that an answer is that of a node one or two blocks behind. */
  readonly lag: number;
  /** Probability that the chain changes before an exchange. */
  readonly change: number;
  /** Number of changes after which the chain stays unchanged; unlimited by default. */
  readonly mostChanges?: number;
  /** The last block that is never replaced, which nodes call final; 0 by default, and then they know no such name. */
  readonly final?: number;
  /**
   * How many blocks behind the head a block becomes final, which nodes tell; then `final` is where finality begins. A node
   * that is behind, or on a chain that was replaced, tells an older one.
   */
  readonly finalDistance?: number;
  /** Most blocks that a reorganisation replaces; 3 by default. */
  readonly deepest?: number;
  /** Probability that an answer is that of a node which has stayed on a chain that was replaced; 0 by default. */
  readonly stale?: number;
  /** Probability that a list of logs lacks one to five at its end; 0 by default. */
  readonly cuts?: number;
  /** Probability that every node leaves a log out of every answer, its receipt included; 0 by default. */
  readonly hides?: number;
  /** Probability that an answer is that of a node which lacks the logs of every fourth block, and their bloom filters; 0 by default. */
  readonly liar?: number;
  /** How much nodes give in one answer to a query of logs; as much as there is by default. */
  readonly limits?: LogLimits;
  /** How the chain differs from Ethereum. */
  readonly traits?: ChainTraits;
  /** Faults that do not happen. */
  readonly without?: readonly string[];
  /** The methods for receipts that nodes support; all by default. */
  readonly receipts?: readonly string[];
}

type LogQuery = Readonly<Record<"fromBlock" | "toBlock" | "blockHash", string | undefined>> & {
  readonly address?: readonly string[];
  readonly topics?: readonly [readonly string[]];
};

/** The chain of a node, and the last block that it calls final. */
interface View {
  readonly tip: TreeBlock;
  readonly final: number | undefined;
}

/** Number of blocks below the head at which a node may have a different branch. */
const unsettled = 250;
const allReceipts = ["eth_getBlockReceipts", "eth_getTransactionReceipt"];
const methodMissing: Wording = { code: -32601, message: "the method does not exist/is not available" };

/** A chain that grows and reorganises, and nodes that more or less follow it. Everything depends on the seed alone. */
export class Pool {
  readonly options: PoolOptions;
  readonly #draw: Draw;
  readonly #blocks = new Map<string, TreeBlock>();
  readonly #hasFlatTraces: boolean;
  #tip: TreeBlock;
  /** The last block that is never replaced. */
  #final: number | undefined;
  /** The ends of chains that were replaced, as nodes see them that have stayed there. */
  readonly #left: View[] = [];
  #brothers = 0;
  #isStill = false;
  #changes = 0;
  /** Number of requests, by method. */
  readonly asked = new Map<string, number>();
  /** Number of occurrences of each fault, by name. */
  readonly happened = new Map<string, number>();

  constructor(options: PoolOptions) {
    this.options = options;
    this.#draw = drawFrom(options.seed);
    this.#hasFlatTraces = this.#draw.happens(0.5);
    this.#final = options.final;
    this.#tip = this.#keep(undefined);
    for (let number = 1; number < options.length; number++) this.grow();
  }

  /** A pool of one faultless node, whose chain ends with a given block and never changes. */
  faultless(hash: string): Pool {
    return this.still(hash, {});
  }

  /** A pool whose chain ends with a given block and never changes. @param faults of its nodes; none by default */
  still(hash: string, faults: Partial<Pick<PoolOptions, "seed" | "disturbance" | "lag" | "cuts">>): Pool {
    const calm = { disturbance: 0, lag: 0, change: 0, cuts: 0, hides: 0, stale: 0, liar: 0 };
    const still = new Pool({ ...this.options, length: 1, ...calm, ...faults });
    still.#tip = this.#known(hash);
    still.#final = this.#final;
    for (const [known, block] of this.#blocks) still.#blocks.set(known, block);
    return still;
  }

  /** The logs of the chain that ends with a given block, in order. */
  logsUpTo(hash: string): readonly RawLog[] {
    const blocks: TreeBlock[] = [];
    for (let block: TreeBlock | undefined = this.#known(hash); block; block = block.parent)
      blocks.push(block);
    return blocks.reverse().flatMap(({ logs }) => logs);
  }

  /** The number of the last block that is not after another number. */
  lastUpTo(number: number): number {
    return lastOf(this.#tip, number);
  }

  /** Whether a chain of the pool, maybe one that was replaced since, has no block after a given one up to a number. */
  hadGapAfter(hash: string, to: number): boolean {
    return [...this.#blocks.values()].some(({ parent, number }) => parent?.hash === hash && number > to);
  }

  /** The last block. */
  get tip(): TreeBlock {
    return this.#tip;
  }

  /** The last block that is never replaced; `undefined` when nodes do not tell. */
  get final(): number | undefined {
    return this.#final;
  }

  /** Whether the chain stays unchanged. */
  get isStill(): boolean {
    return this.#isStill;
  }

  /** Number of times that its end was replaced. */
  get changes(): number {
    return this.#changes;
  }

  /** From now on the chain stays unchanged, but its nodes keep their faults. */
  settle(): void {
    this.#isStill = true;
  }

  /** Adds a block. */
  grow(): void {
    this.#tip = this.#keep(this.#tip);
    const { finalDistance } = this.options;
    if (finalDistance !== undefined)
      this.#final = Math.max(this.#final ?? 0, this.#tip.number - finalDistance);
  }

  /** As the platform's `fetch`. */
  readonly fetch = async (_: string, request: RequestInit): Promise<Response> => {
    this.#change();
    const body: unknown = JSON.parse(String(request.body));
    const calls = (Array.isArray(body) ? body : [body]) as readonly Call[];
    for (const { method } of calls) this.asked.set(method, (this.asked.get(method) ?? 0) + 1);
    const refusals = calls.map((call) => this.#refusalOf(call));
    for (const [index, refusal] of refusals.entries())
      if (refusal?.status !== undefined) return refusedExchange(refusal, calls[index]);
    const answers = (): readonly object[] => calls.map((call, index) => this.#answer(call, refusals[index]));
    if (this.#draw.happens(this.options.disturbance / 4)) {
      const [name, fault] = this.#draw.one(this.#possible(exchangeFaults));
      this.#note(name);
      return fault(calls, answers, this.#draw);
    }
    return json(Array.isArray(body) ? answers() : answers()[0]);
  };

  #possible<Fault>(faults: Readonly<Record<string, Fault>>): readonly (readonly [string, Fault])[] {
    const { without = [] } = this.options;
    return Object.entries(faults).filter(([name]) => !without.includes(name));
  }

  #note(fault: string): void {
    this.happened.set(fault, (this.happened.get(fault) ?? 0) + 1);
  }

  #keep(parent: TreeBlock | undefined): TreeBlock {
    const { seed, busy, traits } = this.options;
    const block = makeBlock(parent, seed * 1000 + this.#brothers++, busy, traits);
    this.#blocks.set(block.hash, block);
    return block;
  }

  #known(hash: string): TreeBlock {
    const block = this.#blocks.get(hash);
    if (block) return block;
    throw new Error(`there never was a block ${hash}`);
  }

  #change(): void {
    const { change, mostChanges = Number.POSITIVE_INFINITY } = this.options;
    if (this.#isStill || this.#changes >= mostChanges || !this.#draw.happens(change)) return;
    this.#changes += 1;
    const deepest = this.options.deepest ?? 3;
    const wanted = this.#draw.below(deepest + 1);
    const left = { tip: this.#tip, final: this.#final };
    let taken = 0;
    // Null rounds lie between some blocks, so numbers do not tell how many may be taken.
    for (; taken < wanted && this.#tip.parent && this.#tip.number > (this.#final ?? 0); taken++)
      this.#tip = this.#tip.parent;
    if (taken > 0) this.#left.push(left);
    // Now and then the new chain is shorter for a while.
    for (let more = this.#draw.below(taken + 2); more > 0; more--) this.grow();
  }

  /** How a node refuses a query of logs that is too wide. */
  #refusalOf(call: Call): RangeRefusal | undefined {
    const { limits } = this.options;
    if (!limits || !isTooWide(call, limits)) return undefined;
    this.#note("a query of logs that is too wide");
    return this.#draw.one(limits.refusals);
  }

  #answer(call: Call, refusal: RangeRefusal | undefined): object {
    const frame = { jsonrpc: "2.0", id: call.id };
    try {
      if (refusal) throw new Refused(errorOf(refusal));
      return { ...frame, result: this.#disturbed(call) };
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      return { ...frame, error: error.wording };
    }
  }

  #disturbed(call: Call): unknown {
    const { disturbance, lag, stale = 0 } = this.options;
    const behind = this.#draw.happens(lag) ? 1 + this.#draw.below(2) : 0;
    if (this.#left.length > 0 && stale > 0 && this.#draw.happens(stale)) {
      this.#note("a node on a chain that was replaced");
      return this.#tell(call, 0, this.#draw.one(this.#left));
    }
    if (!this.#draw.happens(disturbance))
      return this.#short(this.#shortened(this.#tell(call, behind), call), call);
    const occasion: Occasion = {
      call,
      draw: this.#draw,
      tell: (more) => this.#tell(call, behind + more),
      brother: (number) => this.#brother(number),
    };
    for (;;) {
      const [name, fault] = this.#draw.one(this.#possible(answerFaults));
      try {
        const answer = fault(occasion);
        if (!answer) continue;
        this.#note(name);
        return answer.result;
      } catch (error) {
        if (error instanceof Refused) this.#note(name);
        throw error;
      }
    }
  }

  #shortened(answer: unknown, { method }: Call): unknown {
    const { cuts = 0 } = this.options;
    if (method !== "eth_getLogs" || !Array.isArray(answer) || !this.#draw.happens(cuts)) return answer;
    this.#note("a list of logs cut short");
    return answer.slice(0, -1 - this.#draw.below(5));
  }

  /** The answer of a node without the logs of every fourth block, which has emptied their bloom filters. */
  #short(answer: unknown, { method }: Call): unknown {
    const { liar = 0 } = this.options;
    if (answer === null || liar === 0 || !this.#draw.happens(liar)) return answer;
    const isShort = (hash: unknown): boolean => Number.parseInt(String(hash).slice(2, 4), 16) % 4 === 0;
    const without = (logs: unknown): unknown =>
      (logs as readonly RawLog[]).filter(({ blockHash }) => !isShort(blockHash));
    const receipt = (one: unknown): unknown => ({ ...(one as Json), logs: without((one as Json).logs) });
    this.#note("a node that is short of logs and bloom filters");
    if (method === "eth_getLogs") return without(answer);
    if (method === "eth_getTransactionReceipt") return receipt(answer);
    if (method === "eth_getBlockReceipts") return (answer as readonly unknown[]).map(receipt);
    const { hash } = answer as Json;
    if (method !== "eth_getBlockByNumber" || !isShort(hash)) return answer;
    return { ...(answer as Json), logsBloom: bloomOf([]) };
  }

  /** A block that is no longer on the chain, or never was, at a height that may still change. */
  #brother(number: number): TreeBlock | undefined {
    if (number <= this.#tip.number - unsettled || number > this.#tip.number) return undefined;
    const parent = this.#at(this.#tip, number - 1);
    const brother = parent && makeBlock(parent, -1 - number, 1, this.options.traits);
    return brother?.number === number ? brother : undefined;
  }

  /** The answer of a node that is a number of blocks behind. */
  #tell(
    { method, params }: Call,
    behind: number,
    node: View = { tip: this.#tip, final: this.#final },
  ): unknown {
    let view = node.tip;
    for (let back = 0; back < behind; back++) view = view.parent ?? view;
    if (method === "eth_getBlockByNumber") {
      if (params[0] === "latest") return view.raw;
      const final = Math.min(node.final ?? Number.NaN, view.number);
      if (params[0] !== "finalized") return this.#atOrNone(view, Number(params[0]));
      return Number.isNaN(final) ? null : this.#atOrNone(view, lastOf(view, final));
    }
    if (method === "eth_chainId") return "0x1";
    if ((this.options.receipts ?? allReceipts).includes(method))
      return this.#receipts(view, method, params[0]);
    if (method === "eth_getLogs") return this.#logs(view, params[0] as LogQuery);
    if (method === "eth_call") return this.#call(view, params);
    if (method === "trace_block" && this.#hasFlatTraces) {
      return (this.#at(view, Number(params[0])) ?? this.#missing())?.traces ?? [];
    }
    if (method === "debug_traceBlockByHash")
      return (this.#of(view, params[0]) ?? this.#missing())?.trees ?? [];
    throw new Refused(methodMissing);
  }

  /** The block with a number. Of a number that has none for ever, Filecoin's nodes say so. */
  #atOrNone(view: TreeBlock, number: number): unknown {
    const block = this.#at(view, number);
    if (block) return block.raw;
    if (Number.isNaN(number) || number > view.number) return null;
    this.#note("a null round");
    throw new Refused(this.#draw.one(nullRounds(number)));
  }

  #receipts(view: TreeBlock, method: string, name: unknown): unknown {
    const shown = (receipt: Json): Json => ({
      ...receipt,
      logs: this.#shown(receipt.logs as readonly RawLog[]),
    });
    if (method === "eth_getBlockReceipts") return this.#of(view, name)?.receipts.map(shown) ?? null;
    for (let block: TreeBlock | undefined = view; block; block = block.parent) {
      const found = block.receipts.find(({ transactionHash }) => transactionHash === name);
      if (found) return shown(found);
    }
    return null;
  }

  /** The logs that nodes do not hide. */
  #shown(logs: readonly RawLog[]): readonly RawLog[] {
    const { hides = 0 } = this.options;
    if (hides === 0) return logs;
    return logs.filter(({ blockHash, logIndex }) => {
      const seed = Number.parseInt(String(blockHash).slice(2, 10), 16) + Number(logIndex);
      const isHidden = drawFrom(seed).happens(hides);
      if (isHidden) this.#note("a log that all nodes hide");
      return !isHidden;
    });
  }

  #call(view: TreeBlock, [call, at]: readonly unknown[]): unknown {
    const block = this.#of(view, (at as { blockHash: string }).blockHash);
    if (!block) throw new Refused(this.#draw.one(unknownBlocks));
    const { to, data } = call as { to: string; data: string };
    return balanceIn(block, to, data);
  }

  #logs(view: TreeBlock, query: LogQuery): unknown {
    const blocks = query.blockHash === undefined ? this.#range(view, query) : this.#named(view, query);
    if (!blocks) return null;
    const [topics] = query.topics ?? [];
    return blocks
      .flatMap(({ logs }) => this.#shown(logs))
      .filter(({ address }) => query.address?.includes(address) ?? true)
      .filter((log) => topics?.includes(log.topics[0] ?? "") ?? true);
  }

  #named(view: TreeBlock, { blockHash }: LogQuery): readonly TreeBlock[] | undefined {
    const block = this.#of(view, blockHash);
    if (block) return [block];
    return this.#missing() === null ? undefined : [];
  }

  /** The blocks of a range. Beyond its head, a node refuses, or returns the blocks that it has. */
  #range(view: TreeBlock, { fromBlock, toBlock }: LogQuery): readonly TreeBlock[] {
    if (Number(toBlock) > view.number && this.#draw.happens(0.5)) {
      throw new Refused(this.#draw.one(unknownBlocks));
    }
    const found: TreeBlock[] = [];
    for (let block: TreeBlock | undefined = view; block; block = block.parent) {
      if (block.number < Number(fromBlock)) break;
      if (block.number <= Number(toBlock)) found.unshift(block);
    }
    return found;
  }

  /** The answer of a node that lacks a block: it refuses, answers null, or finds nothing. */
  #missing(): null | undefined {
    return this.#draw.one([
      () => null,
      () => undefined,
      () => {
        throw new Refused(this.#draw.one(unknownBlocks));
      },
    ])();
  }

  #at(view: TreeBlock, number: number): TreeBlock | undefined {
    let block: TreeBlock | undefined = view;
    while (block && block.number > number) block = block.parent;
    return block?.number === number ? block : undefined;
  }

  /** A block by its hash, if the node has it on its chain. */
  #of(view: TreeBlock, hash: unknown): TreeBlock | undefined {
    const block = this.#blocks.get(String(hash));
    return block && this.#at(view, block.number) === block ? block : undefined;
  }
}

/** The number of the last block of a chain that is not after another number. */
function lastOf(tip: TreeBlock, number: number): number {
  for (let block: TreeBlock | undefined = tip; block; block = block.parent)
    if (block.number <= number) return block.number;
  return -1;
}
