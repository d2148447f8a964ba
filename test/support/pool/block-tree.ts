import { createHash } from "node:crypto";
import { keccak256 } from "ethers";
import { transferTopics } from "../../../src/datasets/rows/transfer-rows.js";
import { decodeReceipt } from "../../../src/runtime/chain/decode-block.js";
import { encodeReceipt } from "../../../src/runtime/chain/receipts-root.js";
import { trieRoot } from "../../../src/runtime/chain/trie-root.js";
import { address, quantity, rawBlock, rawTransaction } from "../chain/raw-chain.js";
import { factory, factoryAddress, token, topics } from "./contracts.js";
import { type Draw, drawFrom } from "./draw.js";

type Json = Readonly<Record<string, unknown>>;

/** A block of a tree of blocks, as a node returns it. */
export interface TreeBlock {
  readonly number: number;
  readonly hash: string;
  readonly parent: TreeBlock | undefined;
  readonly raw: Json;
  readonly logs: readonly RawLog[];
  /** By transaction. */
  readonly receipts: readonly Json[];
  readonly traces: readonly Json[];
  readonly trees: readonly Json[];
  /** Tokens created up to this block. */
  readonly tokens: readonly string[];
}

export type RawLog = Json & { readonly address: string; readonly topics: readonly string[] };

const digest = (text: string): string => `0x${createHash("sha256").update(text).digest("hex")}`;
/** ABI-encoded words, made the fast way. */
const word = (value: string | number): string => BigInt(value).toString(16).padStart(64, "0");
const { Made: madeTopic = "", Moved: movedTopic = "" } = topics;
const make = factory.getFunction("make")?.selector ?? "";
const move = token.getFunction("move")?.selector ?? "";

/** Blocks that were made last: the pools of one seed have many in common. */
const made = new Map<string, TreeBlock>();
const mostMade = 2_000;

/** The content of a block, which depends on its parent and a number that distinguishes siblings. */
export function makeBlock(parent: TreeBlock | undefined, brother: number, busy: number): TreeBlock {
  const hash = digest(`${parent?.hash ?? "genesis"} ${brother}`);
  const key = `${hash} ${busy}`;
  const block = made.get(key) ?? newBlock(hash, parent, busy);
  if (made.size >= mostMade) made.clear();
  made.set(key, block);
  return block;
}

function newBlock(hash: string, parent: TreeBlock | undefined, busy: number): TreeBlock {
  const number = parent ? parent.number + 1 : 0;
  const draw = drawFrom(Number.parseInt(hash.slice(2, 10), 16));
  const count = number > 0 && draw.happens(busy) ? 1 + draw.below(3) : 0;
  const block = new BlockMaker(number, hash, parent?.tokens ?? [], draw);
  for (let index = 0; index < count; index++) block.transact(index);
  return block.end(parent);
}

class BlockMaker {
  readonly #number: number;
  readonly #hash: string;
  readonly #draw: Draw;
  readonly #tokens: string[];
  readonly #transactions: Json[] = [];
  readonly #logs: RawLog[] = [];
  readonly #traces: Json[] = [];
  readonly #trees: Json[] = [];

  constructor(number: number, hash: string, tokens: readonly string[], draw: Draw) {
    this.#number = number;
    this.#hash = hash;
    this.#tokens = [...tokens];
    this.#draw = draw;
  }

  /** A transaction of one to three calls inside a call. */
  transact(index: number): void {
    const transaction = digest(`${this.#hash} ${index}`);
    const place = { hash: transaction, index };
    const calls = Array.from({ length: 1 + this.#draw.below(3) }, () => this.#call(place));
    const outer = { to: address(99), input: "0x" };
    this.#transactions.push(rawTransaction(index, { hash: transaction, blockHash: this.#hash }));
    for (const [at, call] of [outer, ...calls].entries()) {
      this.#traces.push(this.#traceOf(call, place, at === 0 ? [] : [at - 1], at === 0 ? calls.length : 0));
    }
    const frames = calls.map((call) => frameOf(call, []));
    this.#trees.push({ txHash: transaction, result: frameOf(outer, frames) });
  }

  #call(place: { hash: string; index: number }): { to: string; input: string } {
    if (this.#tokens.length === 0 || this.#draw.happens(0.15)) {
      const created = `0x${digest(`${this.#hash} token ${this.#tokens.length}`).slice(26)}`;
      this.#tokens.push(created);
      this.#emit(place, factoryAddress, [madeTopic], [created, this.#tokens.length]);
      return { to: factoryAddress, input: `${make}${word(1)}` };
    }
    const to = this.#draw.one(this.#tokens);
    const [owner, amount] = [address(this.#draw.below(4)), this.#draw.below(1000)];
    // Several logs of one contract that are equal in everything that a bloom filter covers, or in everything.
    const isOne = this.#draw.happens(0.3);
    for (let times = this.#draw.below(4); times >= 0; times--) {
      this.#emit(
        place,
        to,
        [movedTopic, `0x${word(address(2))}`, `0x${word(owner)}`],
        [isOne ? amount : amount + times],
      );
    }
    // What another standard takes for the same, and no subgraph of a pool asks for.
    if (amount % 2 === 0)
      this.#emit(place, to, [transferTopics.transfer, `0x${word(address(2))}`, `0x${word(owner)}`], [amount]);
    return { to, input: `${move}${word(owner)}${word(amount)}` };
  }

  #emit(
    { hash, index }: { hash: string; index: number },
    from: string,
    topics: readonly string[],
    values: readonly (string | number)[],
  ): void {
    this.#logs.push({
      address: from,
      topics,
      data: `0x${values.map(word).join("")}`,
      blockNumber: quantity(this.#number),
      blockHash: this.#hash,
      transactionHash: hash,
      transactionIndex: quantity(index),
      logIndex: quantity(this.#logs.length),
      removed: false,
    });
  }

  #traceOf(
    { to, input }: { to: string; input: string },
    { hash, index }: { hash: string; index: number },
    traceAddress: readonly number[],
    subtraces: number,
  ): Json {
    return {
      type: "call",
      action: { callType: "call", from: address(2), to, input, value: "0x0" },
      result: { output: "0x", gasUsed: "0x1" },
      traceAddress,
      subtraces,
      blockHash: this.#hash,
      blockNumber: this.#number,
      transactionHash: hash,
      transactionPosition: index,
    };
  }

  end(parent: TreeBlock | undefined): TreeBlock {
    // Many blocks are dropped before they are requested, and computing a root takes longer than everything else.
    const receipts = once(() => this.#receipts());
    const raw = once(() => this.#header(parent, receipts()));
    return {
      number: this.#number,
      hash: this.#hash,
      parent,
      get raw() {
        return raw();
      },
      get receipts() {
        return receipts();
      },
      ...{ logs: this.#logs, traces: this.#traces, trees: this.#trees, tokens: this.#tokens },
    };
  }

  #header(parent: TreeBlock | undefined, receipts: readonly Json[]): Json {
    return rawBlock(this.#number, {
      hash: this.#hash,
      parentHash: parent?.hash ?? digest("nothing"),
      transactions: this.#transactions,
      logsBloom: bloomOf(this.#logs),
      receiptsRoot: trieRoot(receipts.map((receipt) => encodeReceipt(decodeReceipt("", receipt)))),
    });
  }

  #receipts(): readonly Json[] {
    return this.#transactions.map((transaction, index) => {
      const logs = this.#logs.filter(({ transactionHash }) => transactionHash === transaction.hash);
      return {
        type: quantity(index % 5),
        transactionHash: transaction.hash,
        transactionIndex: quantity(index),
        blockNumber: quantity(this.#number),
        blockHash: this.#hash,
        cumulativeGasUsed: quantity(21_000 * (index + 1)),
        gasUsed: quantity(21_000),
        contractAddress: null,
        status: "0x1",
        logs,
        logsBloom: bloomOf(logs),
      };
    });
  }
}

/** The result of a function, computed on first use. */
function once<Result>(make: () => Result): () => Result {
  let made: { readonly result: Result } | undefined;
  return () => {
    made ??= { result: make() };
    return made.result;
  };
}

function frameOf({ to, input }: { to: string; input: string }, calls: readonly Json[]): Json {
  return { type: "CALL", from: address(2), to, input, output: "0x", calls };
}

/** The answer of a token in a block, which differs from block to block. */
export function balanceIn(block: TreeBlock, to: string, data: string): string {
  return `0x${digest(`${block.hash} ${to} ${data}`).slice(2, 10).padStart(64, "0")}`;
}

/** The bloom filter of some logs, in hex. */
export function bloomOf(logs: readonly RawLog[]): string {
  let bits = 0n;
  for (const item of new Set(logs.flatMap((log) => [log.address, ...log.topics]))) {
    bits |= bitsOf(item);
  }
  return `0x${bits.toString(16).padStart(512, "0")}`;
}

const known = new Map<string, bigint>();

function bitsOf(item: string): bigint {
  let bits = known.get(item) ?? 0n;
  if (bits > 0n) return bits;
  const hash = keccak256(item);
  for (const at of [2, 6, 10]) bits |= 1n << BigInt(Number.parseInt(hash.slice(at, at + 4), 16) & 2047);
  known.set(item, bits);
  return bits;
}
