import { createHash } from "node:crypto";
import { keccak256 } from "ethers";
import { transferTopics } from "../../../src/datasets/rows/transfer-rows.js";
import { headerHash } from "../../../src/runtime/chain/proof/header-hash.js";
import { encodeReceipt } from "../../../src/runtime/chain/proof/receipts-root.js";
import { trieRoot } from "../../../src/runtime/chain/proof/trie-root.js";
import { decodeBlock, decodeReceipt } from "../../../src/runtime/chain/rpc/decode-block.js";
import { address, quantity, rawBlock, rawTransaction } from "../chain/raw-chain.js";
import { factory, factoryAddress, token, topics } from "./contracts.js";
import { type Draw, drawFrom } from "./draw.js";

type Json = Readonly<Record<string, unknown>>;

/** How a chain differs from Ethereum. */
export interface ChainTraits {
  /** Whether logs are numbered per transaction, not per block. */
  readonly byTransaction?: boolean;
  /** What bloom filters are instead of right. */
  readonly blooms?: "ones" | "random" | "empty" | "in blocks without logs";
  /** Whether the hash of a block is another than that of its header in Ethereum's form. */
  readonly ownHashes?: boolean;
  /** Probability that a number has no block. */
  readonly nullRounds?: number;
  /** Probability that a block has a log that belongs to no transaction, as zkSync's system emits them. */
  readonly outsiders?: number;
}

/** A block of a tree of blocks, as a node returns it. */
export interface TreeBlock {
  /** Names its content, apart from traits of the chain. */
  readonly id: string;
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
export function makeBlock(
  parent: TreeBlock | undefined,
  brother: number,
  busy: number,
  traits: ChainTraits = {},
): TreeBlock {
  const id = digest(`${parent?.id ?? "genesis"} ${brother}`);
  const key = `${id} ${busy} ${JSON.stringify(traits)}`;
  const known = made.get(key);
  // A block made before the last clearing has parents that its pool does not hold.
  const block = known && known.parent === parent ? known : newBlock(id, parent, busy, traits);
  if (made.size >= mostMade) made.clear();
  made.set(key, block);
  return block;
}

function newBlock(id: string, parent: TreeBlock | undefined, busy: number, traits: ChainTraits): TreeBlock {
  const seed = Number.parseInt(id.slice(2, 10), 16);
  const isAfterGap = parent !== undefined && drawFrom(seed + 1).happens(traits.nullRounds ?? 0);
  const number = parent ? parent.number + (isAfterGap ? 2 : 1) : 0;
  const draw = drawFrom(seed);
  const count = number > 0 && draw.happens(busy) ? 1 + draw.below(3) : 0;
  const block = new BlockMaker(number, id, parent?.tokens ?? [], draw, traits);
  for (let index = 0; index < count; index++) block.transact(index);
  if (number > 0 && drawFrom(seed + 2).happens(traits.outsiders ?? 0)) block.emitOutside();
  return block.end(parent);
}

/** The hash that stands for no transaction. */
const noTransaction = `0x${"0".repeat(64)}`;

class BlockMaker {
  readonly #number: number;
  readonly #id: string;
  readonly #draw: Draw;
  readonly #traits: ChainTraits;
  readonly #tokens: string[];
  readonly #transactions: Json[] = [];
  readonly #logs: RawLog[] = [];
  readonly #traces: Json[] = [];
  readonly #trees: Json[] = [];

  constructor(number: number, id: string, tokens: readonly string[], draw: Draw, traits: ChainTraits) {
    this.#number = number;
    this.#id = id;
    this.#traits = traits;
    this.#tokens = [...tokens];
    this.#draw = draw;
  }

  /** A transaction of one to three calls inside a call. */
  transact(index: number): void {
    const transaction = digest(`${this.#id} ${index}`);
    const place = { hash: transaction, index };
    const calls = Array.from({ length: 1 + this.#draw.below(3) }, () => this.#call(place));
    const outer = { to: address(99), input: "0x" };
    this.#transactions.push(rawTransaction(index, { hash: transaction }));
    for (const [at, call] of [outer, ...calls].entries()) {
      this.#traces.push(this.#traceOf(call, place, at === 0 ? [] : [at - 1], at === 0 ? calls.length : 0));
    }
    const frames = calls.map((call) => frameOf(call, []));
    this.#trees.push({ txHash: transaction, result: frameOf(outer, frames) });
  }

  /** A log that belongs to no transaction, so that no receipt has it. */
  emitOutside(): void {
    const [to] = this.#tokens;
    if (to === undefined) return;
    const parties = [`0x${word(address(3))}`, `0x${word(address(4))}`];
    this.#emit({ hash: noTransaction, index: 0 }, to, [movedTopic, ...parties], [this.#number]);
  }

  #call(place: { hash: string; index: number }): { to: string; input: string } {
    if (this.#tokens.length === 0 || this.#draw.happens(0.15)) {
      const created = `0x${digest(`${this.#id} token ${this.#tokens.length}`).slice(26)}`;
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
      blockHash: this.#id,
      transactionHash: hash,
      transactionIndex: quantity(index),
      logIndex: quantity(this.#nextIndex(hash)),
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
      blockHash: this.#id,
      blockNumber: this.#number,
      transactionHash: hash,
      transactionPosition: index,
    };
  }

  #nextIndex(transaction: string): number {
    if (!this.#traits.byTransaction) return this.#logs.length;
    return this.#logs.filter(({ transactionHash }) => transactionHash === transaction).length;
  }

  end(parent: TreeBlock | undefined): TreeBlock {
    const raw = this.#header(parent);
    const hash = this.#traits.ownHashes ? this.#id : String(headerHash(decodeBlock("", raw).block));
    const inBlock = <Entry extends Json>(entry: Entry): Entry => ({ ...entry, blockHash: hash });
    const logs = this.#logs.map(inBlock);
    return {
      id: this.#id,
      number: this.#number,
      hash,
      parent,
      raw: { ...raw, hash, transactions: this.#transactions.map(inBlock) },
      receipts: this.#receipts(logs).map(inBlock),
      logs,
      traces: this.#traces.map(inBlock),
      trees: this.#trees,
      tokens: this.#tokens,
    };
  }

  #header(parent: TreeBlock | undefined): Json {
    const receipts = this.#receipts(this.#logs);
    return rawBlock(this.#number, {
      hash: this.#id,
      parentHash: parent?.hash ?? digest("nothing"),
      transactions: this.#transactions,
      gasUsed: quantity(21_000 * this.#transactions.length),
      logsBloom: this.#bloom(),
      ...(this.#transactions.length === 0 && { transactionsRoot: trieRoot([]) }),
      receiptsRoot: trieRoot(receipts.map((receipt) => encodeReceipt(decodeReceipt("", receipt)))),
      extraData: "0x",
      mixHash: digest("mix"),
      nonce: "0x0000000000000000",
    });
  }

  #bloom(): string {
    const { blooms } = this.#traits;
    const ones = `0x${"f".repeat(512)}`;
    if (blooms === "random") return `0x${digest(this.#id).slice(2).repeat(8)}`;
    if (blooms === "ones" && this.#transactions.length > 0) return ones;
    if (blooms === "in blocks without logs" && this.#logs.length === 0) return ones;
    return bloomOf(blooms === "empty" ? [] : this.#logs);
  }

  #receipts(all: readonly RawLog[]): readonly Json[] {
    return this.#transactions.map((transaction, index) => {
      const logs = all.filter(({ transactionHash }) => transactionHash === transaction.hash);
      return {
        type: quantity(index % 5),
        transactionHash: transaction.hash,
        transactionIndex: quantity(index),
        blockNumber: quantity(this.#number),
        blockHash: this.#id,
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
