import { isRecord, parseJson } from "../base/json-value.js";
import { SingleFlight } from "../base/single-flight.js";
import type { World } from "../base/world.js";
import { localChainIds } from "../chains/local-chains.js";
import { Consumer } from "./consumer.js";
import { FairQueue, type NodeLimits } from "./fair-queue.js";
import { type ChainHead, HeadWatch, type SeenHead } from "./head-watch.js";
import { KnownAnswers, keyOf, type Lasting, lastingOf, safeDepth } from "./known-answers.js";
import { matchAnswers, type Outcome } from "./match-answers.js";
import type { NodeAnswer } from "./node-address.js";
import { type Metered, NodePool } from "./node-pool.js";
import type { NodeTrouble } from "./node-watch.js";
import { type RpcCall, readCalls } from "./rpc-calls.js";
import { splitAnswers } from "./split-answers.js";
import { answerTo, joinAnswers, refusals, refusalTo } from "./write-answers.js";

/** The options for using a network's nodes. */
export interface GatewayOptions extends NodeLimits {
  /** Milliseconds between polls of the chain head. */
  readonly pollInterval: number;
  /** Bytes of cached answers. */
  readonly cacheBytes: number;
  /**
   * The maximum age of a cached answer in milliseconds. Needed where clients cannot reject an answer, so that a wrong
   * one does not stay.
   */
  readonly longestKept?: number;
  /** The nodes' network, and those who observe them. */
  readonly metered?: Metered;
}

/** A question, and how long its answer is valid. */
interface Question {
  readonly call: RpcCall;
  readonly key: string;
  readonly lasting: Lasting;
}

/** A node's answer to a batch of calls; without outcomes if it does not answer them. */
interface Exchanged {
  readonly answer: NodeAnswer;
  readonly outcomes?: readonly Outcome[];
}

/** The caller: a consumer that verifies answers, or a name. */
type Asker = Consumer | string;

const headRequest = { method: "eth_getBlockByNumber", params: ["latest", false] } as const;
/** The size of a header with its transaction hashes, in bytes. */
const largestHead = 4 * 1_048_576;
const nothing: Outcome = {};
/** Development chains mine blocks only for transactions, so a long pause means nothing. */
const localChains: ReadonlySet<string> = new Set([...localChainIds, ""]);

/**
 * The nodes of one network, shared by all callers. Callers take turns, known or pending answers are not requested
 * again, and if one address fails, the next one is asked. Answers stay bytes.
 */
export class Gateway {
  readonly #pool: NodePool;
  readonly #options: GatewayOptions;
  readonly #world: World;
  readonly #queue: FairQueue;
  readonly #known: KnownAnswers;
  readonly #underWay = new SingleFlight<Uint8Array | undefined>();
  readonly #watch: HeadWatch;
  #lastId = 0;
  /** Counts how often the cache was cleared. Answers to earlier requests are not cached. */
  #era = 0;
  /** Decimal; empty if the node does not report it. */
  #chainId: string | undefined;
  #askedChainAfter = 0;

  /** @throws Error if an address is not a web URL */
  constructor(addresses: readonly string[], options: GatewayOptions, world: World, signal: AbortSignal) {
    this.#pool = new NodePool(addresses, world, signal, options.metered);
    this.#options = options;
    this.#world = world;
    this.#queue = new FairQueue(options, world, signal);
    this.#known = new KnownAnswers(options.cacheBytes);
    this.#watch = new HeadWatch(() => this.#askHead(), options.pollInterval, world, signal);
  }

  /** The node's name in messages. */
  get name(): string {
    return this.#pool.name;
  }

  /** The last seen head. */
  get head(): ChainHead | undefined {
    return this.#watch.head;
  }

  /** The problem that holds up all callers of the nodes; nothing if none is known. */
  get trouble(): NodeTrouble | undefined {
    return this.#pool.watch.trouble;
  }

  /** The chain's id, decimal, once a node has reported it. */
  get chainId(): string | undefined {
    return this.#chainId || undefined;
  }

  /** When the head last changed, in milliseconds since 1970. */
  get headAt(): number | undefined {
    return this.#pool.watch.headAt;
  }

  /** Polls the head unless that was done recently, and waits for the answer up to a number of milliseconds. */
  glance(milliseconds: number): Promise<void> {
    return this.#watch.glance(milliseconds);
  }

  /** Listens for new heads until the returned function is called. The head is polled while there are listeners. */
  onHead(hear: (head: ChainHead) => void): () => void {
    return this.#watch.hear(hear);
  }

  /**
   * Answers a JSON-RPC body. The gateway gives the calls its own ids to match the answers, and restores the caller's
   * ids.
   * @param asker who takes a turn. A consumer receives the node's answer to all of its calls together, and no answer
   *   where the node gave none. Any other caller gets an answer to each call
   * @returns no bytes if there were only notifications
   */
  async answer(asker: Asker, body: string): Promise<NodeAnswer> {
    const read = readCalls(body);
    if (!read) return { status: 200, bytes: refusalTo("null", refusals.parse) };
    if (read.calls.length === 0) return { status: 200, bytes: refusalTo("null", refusals.request) };
    const { calls, isList } = read;
    const asked = calls.filter((call) => call.method !== undefined);
    const { outcomes, refused } = await this.#outcomesOf(asked, asker);
    const wantsAnswer = calls.some(({ id, method }) => id !== undefined || method === undefined);
    if (refused && (refused.status !== 200 || (asker instanceof Consumer && wantsAnswer))) return refused;
    const byCall = new Map(asked.map((call, index) => [call, outcomes[index] ?? nothing]));
    const answers = calls.flatMap((call) => {
      if (call.method === undefined) return [refusalTo(call.id, refusals.request)];
      const outcome = byCall.get(call) ?? nothing;
      const isLeftOut = asker instanceof Consumer && !outcome.result && !outcome.error;
      return call.id === undefined || isLeftOut ? [] : [answerTo(call.id, outcome)];
    });
    return { status: 200, bytes: joinAnswers(answers, isList) };
  }

  /** Looks up known and pending answers and asks a node for the rest. The outcomes are in the calls' order. */
  async #outcomesOf(
    calls: readonly RpcCall[],
    asker: Asker,
  ): Promise<{ readonly outcomes: readonly Outcome[]; readonly refused?: NodeAnswer }> {
    const outcomes = await Promise.all(calls.map((call) => this.#headOutcome(call)));
    // Do not await anything until the missing answers are requested, so that callers that arrive meanwhile share the
    // requests.
    const questions = calls.map((call) => this.#questionOf(call));
    const missing: number[] = [];
    const awaited: { readonly index: number; readonly result: Promise<Uint8Array | undefined> }[] = [];
    for (const [index, question] of questions.entries()) {
      if (outcomes[index]?.result) continue;
      const { result, underWay } = this.#find(question, asker);
      if (result) outcomes[index] = { result };
      else if (underWay) awaited.push({ index, result: underWay });
      else missing.push(index);
    }
    const memory = calls.length - missing.length - awaited.length;
    this.#count({ memory, shared: awaited.length, node: missing.length });
    const fill = (indexes: readonly number[]) => this.#fill(outcomes, indexes, questions, asker);
    const share = async (): Promise<readonly number[]> => {
      const unanswered = await Promise.all(
        awaited.map(async ({ index, result }) => {
          const found = await result;
          if (found) outcomes[index] = { result: found };
          return found ? [] : [index];
        }),
      );
      return unanswered.flat();
    };
    const all = await Promise.all([fill(missing), share().then(fill)]);
    const refused = all.find((answer) => answer !== undefined);
    return { outcomes, ...(refused && { refused }) };
  }

  /** Answers a question about the head from the last poll, if recent. */
  async #headOutcome({ method, params }: RpcCall): Promise<Outcome> {
    const result = isHeadRequest(method, params) ? await this.#watch.result() : undefined;
    return result ? { result } : nothing;
  }

  /** A short-lived answer is valid as long as the head stays the same. */
  #questionOf(call: RpcCall): Question {
    const { head } = this;
    const lasting = lastingOf(call.method, call.params, head?.number);
    return {
      call,
      lasting,
      key: keyOf(call.method, call.params, lasting === "for-now" ? head?.hash : undefined),
    };
  }

  /** The cached or pending answer to a question; nothing for a consumer that asks again. */
  #find(
    { key, lasting }: Question,
    asker: Asker,
  ): {
    readonly result?: Uint8Array | undefined;
    readonly underWay?: Promise<Uint8Array | undefined> | undefined;
  } {
    if (lasting === "not") return {};
    if (!(asker instanceof Consumer && asker.asks(key))) {
      return { result: this.#known.get(key, this.#world.now()), underWay: this.#underWay.get(key) };
    }
    this.#known.drop(key);
    return {};
  }

  /**
   * Asks a node some of the questions and stores the outcomes at their places.
   * @returns the node's answer if it does not answer them
   */
  async #fill(
    outcomes: Outcome[],
    indexes: readonly number[],
    questions: readonly Question[],
    asker: Asker,
  ): Promise<NodeAnswer | undefined> {
    if (indexes.length === 0) return undefined;
    const asked = indexes.flatMap((index) => questions[index] ?? []);
    const { answer, outcomes: found } = await this.#ask(asker, asked);
    for (const [at, index] of indexes.entries()) {
      outcomes[index] = found?.[at] ?? errorOf(answer);
      const { key } = asked[at] ?? {};
      if (key !== undefined && asker instanceof Consumer && !outcomes[index]?.result) asker.gotNone(key);
    }
    return found ? undefined : answer;
  }

  /** Asks a node, and caches lasting answers. */
  #ask(asker: Asker, questions: readonly Question[]): Promise<Exchanged> {
    const first = this.#lastId + 1;
    this.#lastId += questions.length;
    const calls = questions.map(({ call: { method, params } }, index) => {
      return { jsonrpc: "2.0", id: first + index, method, params };
    });
    const body = JSON.stringify(calls.length === 1 ? calls[0] : calls);
    const name = asker instanceof Consumer ? asker.name : asker;
    const era = this.#era;
    const exchange = this.#queue
      .take(name, questions.length, () => this.#pool.post(body))
      .then((answer) => this.#received(answer, first, questions, era));
    for (const [index, { key, lasting }] of questions.entries()) {
      if (lasting === "not") continue;
      const result = exchange.then(({ outcomes }) => outcomes?.[index]?.result);
      // Those who wait for the answer get the error.
      this.#underWay.begin(result, key).catch(() => undefined);
    }
    return exchange;
  }

  #received(answer: NodeAnswer, first: number, questions: readonly Question[], era: number): Exchanged {
    const split = answer.status === 200 ? splitAnswers(answer.bytes) : undefined;
    if (!split) return { answer };
    const parts = split.map((part) => (part.error ? { ...part, error: this.#redact(part.error) } : part));
    const [only] = parts;
    if (questions.length > 1 && parts.length === 1 && only)
      return { answer: answerToAll(only.error, answer) };
    const { outcomes, isOneToOne } = matchAnswers(parts, first, questions.length);
    if (isOneToOne && era === this.#era) {
      for (const [index, question] of questions.entries()) this.#keep(question, outcomes[index]?.result);
    }
    return { answer, outcomes };
  }

  #keep({ key, lasting }: Question, result: Uint8Array | undefined): void {
    if (!result || lasting === "not") return;
    const moment = Math.min(1_000, this.#options.pollInterval);
    const settled = lasting === "for-ever" || this.#isOfSafeBlock(result);
    const { longestKept = Number.POSITIVE_INFINITY } = this.#options;
    const now = this.#world.now();
    this.#known.set(key, result, now + Math.min(longestKept, settled ? longestKept : moment), now);
  }

  /** Whether a receipt belongs to a final block. */
  #isOfSafeBlock(result: Uint8Array): boolean {
    const { head } = this;
    if (!head || result.length > 100_000) return false;
    const text = Buffer.from(result.buffer, result.byteOffset, result.byteLength).toString("latin1");
    const [, block] = /^\{[^[]*"blockNumber":\s*"(0x[0-9a-f]{1,13})"/.exec(text) ?? [];
    return (
      block !== undefined && text.includes('"transactionHash"') && Number(block) <= head.number - safeDepth
    );
  }

  #forget(): void {
    this.#known.clear();
    this.#underWay.clear();
    this.#era += 1;
  }

  #redact(json: Uint8Array): Uint8Array {
    return new TextEncoder().encode(this.#pool.redact(new TextDecoder().decode(json)));
  }

  #count(calls: Readonly<Record<"memory" | "shared" | "node", number>>): void {
    const { network, meters } = this.#options.metered ?? {};
    if (!meters || network === undefined) return;
    for (const from of ["memory", "shared", "node"] as const)
      if (calls[from] > 0) meters.called(network, from, calls[from]);
  }

  async #askHead(): Promise<SeenHead | undefined> {
    const id = ++this.#lastId;
    const arrived = this.#pool.watch.waits();
    const { status, bytes } = await this.#pool
      .post(JSON.stringify({ jsonrpc: "2.0", id, ...headRequest }))
      .finally(arrived);
    const parts = status === 200 && bytes.length <= largestHead ? splitAnswers(bytes) : undefined;
    const result = parts && matchAnswers(parts, id, 1).outcomes[0]?.result;
    const block = result && parseJson(new TextDecoder().decode(result));
    if (!result || !isRecord(block)) return undefined;
    const { number, hash } = block;
    if (typeof number !== "string" || typeof hash !== "string") return undefined;
    const head = { number: Number(number), hash };
    // Cached answers about blocks that may have been replaced are requested again.
    if (this.head && head.number < this.head.number) this.#forget();
    const hasJumped = this.head !== undefined && head.number > this.head.number + safeDepth;
    if (hasJumped || this.#chainId === undefined || this.#askedChainAfter !== this.#pool.watch.absences) {
      await this.#askChainId();
    }
    const isPaced = this.#chainId !== undefined && !localChains.has(this.#chainId);
    this.#pool.watch.sawHead(head.number, isPaced);
    return { head, result };
  }

  /**
   * Another node may be behind the address now. A node that did not report its chain's id is not asked for it again.
   */
  async #askChainId(): Promise<void> {
    this.#askedChainAfter = this.#pool.watch.absences;
    const id = ++this.#lastId;
    const body = JSON.stringify({ jsonrpc: "2.0", id, method: "eth_chainId", params: [] });
    const { status, bytes } = await this.#pool.post(body);
    const parts = status === 200 && bytes.length <= largestHead ? splitAnswers(bytes) : undefined;
    const result = parts && matchAnswers(parts, id, 1).outcomes[0]?.result;
    const [, digits] =
      /^"(0x[0-9a-f]{1,16})"$/i.exec(new TextDecoder().decode(result?.subarray(0, 30))) ?? [];
    const chainId = digits === undefined ? "" : String(BigInt(digits));
    if (this.#chainId !== undefined && this.#chainId !== chainId) this.#forget();
    this.#chainId = chainId;
  }
}

function isHeadRequest(method: string, params: unknown): boolean {
  return (
    method === headRequest.method && Array.isArray(params) && params[0] === "latest" && params[1] === false
  );
}

/** A node's error for a whole batch, without the id it may have named. */
function answerToAll(error: Uint8Array | undefined, answer: NodeAnswer): NodeAnswer {
  return error ? { ...answer, bytes: answerTo("null", { error }) } : answer;
}

/** A node's answer to a whole batch, as the outcome of one call. */
function errorOf({ status, bytes }: NodeAnswer): Outcome {
  const [only] = (status === 200 && splitAnswers(bytes)) || [];
  return only?.error ? { error: only.error } : nothing;
}
