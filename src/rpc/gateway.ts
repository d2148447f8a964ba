import { SingleFlight } from "../base/turns/single-flight.js";
import type { World } from "../base/world.js";
import type { Asker } from "./asker.js";
import { Consumer } from "./consumer.js";
import { FairQueue, type NodeLimits, type Sent } from "./fair-queue.js";
import { HeadReader, isHeadRequest } from "./head-reader.js";
import { type ChainHead, HeadWatch } from "./head-watch.js";
import { keyOf, type Lasting, lastingOf, safeDepth } from "./known-answers.js";
import { matchAnswers, type Outcome } from "./match-answers.js";
import type { NodeAnswer } from "./node-address.js";
import { type Metered, NodePool } from "./node-pool.js";
import type { NodeTrouble } from "./node-watch.js";
import { type RpcCall, readCalls } from "./rpc-calls.js";
import { SharedAnswers } from "./shared-answers.js";
import { splitAnswers } from "./split-answers.js";
import { answerTo, joinAnswers, refusals, refusalTo } from "./write-answers.js";

/** How to use a network's nodes. */
export interface GatewayOptions extends NodeLimits {
  /** Milliseconds between polls of the chain head. */
  readonly pollInterval: number;
  /** Bytes of cached answers per kind of askers, to override the default. */
  readonly cacheBytes?: number;
  /** The nodes' network and observers. */
  readonly metered?: Metered;
}

/** A question, and how long its answer is valid. */
interface Question {
  readonly call: RpcCall;
  readonly key: string;
  readonly lasting: Lasting;
  /** Whether an answer to another asker will do. It will not for a consumer that has rejected one. */
  readonly isShared: boolean;
}

/** The questions of one body, and their outcomes so far. */
interface Batch {
  readonly asker: Consumer | Asker;
  readonly questions: readonly Question[];
  /** In the order of the questions. */
  readonly outcomes: Outcome[];
  readonly signal: AbortSignal | undefined;
  /** The position of the only node to use. */
  readonly only: number | undefined;
  /** A node's response that answers none of its questions. */
  refused?: NodeAnswer;
}

/** A question already sent to a node. */
interface Awaited {
  readonly index: number;
  readonly result: Promise<Uint8Array | undefined>;
}

/** The outcome of a batch's turn. */
interface Begun {
  /** The indexes of the questions sent to a node. */
  readonly asked: readonly number[];
  readonly awaited: readonly Awaited[];
  readonly exchanged?: Exchanged;
}

/** A node's answer to a batch of calls; without outcomes if it does not answer them. */
interface Exchanged {
  readonly answer: NodeAnswer;
  readonly outcomes?: readonly Outcome[];
}

/** Maximum size of a header with its transaction hashes, in bytes. */
const largestHead = 4 * 1_048_576;
const nothing: Outcome = {};
/** Polls of the head take at most this share of the budget. */
const headShare = 1 / 4;
/** The answer to a caller that has left. */
const gone: NodeAnswer = {
  status: 503,
  silence: "away",
  bytes: new TextEncoder().encode("the caller has left"),
};

/**
 * The nodes of one network, shared by all callers. Callers take turns, and no known or pending answer is requested
 * twice. If one address fails, the next is asked. Answers stay bytes.
 */
export class Gateway {
  readonly #pool: NodePool;
  readonly #options: GatewayOptions;
  readonly #world: World;
  readonly #queue: FairQueue;
  readonly #known: SharedAnswers;
  readonly #underWay = new SingleFlight<Uint8Array | undefined>();
  readonly #heads: HeadReader;
  readonly #watch: HeadWatch;
  #lastId = 0;
  /** Counts how often the cache was cleared. Answers to requests from before are not cached. */
  #era = 0;

  /** @throws Error if an address is not a web URL */
  constructor(addresses: readonly string[], options: GatewayOptions, world: World, signal: AbortSignal) {
    this.#pool = new NodePool(addresses, world, signal, options.metered, {
      spend: (requests) => this.#queue.spend(requests),
      onSetAside: () => this.#forget(),
    });
    this.#options = options;
    this.#world = world;
    this.#queue = new FairQueue(options, world, signal);
    this.#known = new SharedAnswers(options.cacheBytes);
    const { pollInterval, requestsPerSecond = Number.POSITIVE_INFINITY } = options;
    const interval = Math.max(pollInterval, 1_000 / (requestsPerSecond * headShare));
    this.#heads = new HeadReader(
      (call) => this.#askAhead(call),
      this.#pool.watch,
      this.#pool.chain,
      () => this.#forget(),
    );
    this.#watch = new HeadWatch(() => this.#heads.read(this.head), interval, world, signal);
  }

  get name(): string {
    return this.#pool.name;
  }

  /** The name of each node in messages, in the order in which to ask them. */
  get names(): readonly string[] {
    return this.#pool.names;
  }

  /** Why nodes of another chain are not used, by name. */
  get setAside(): ReadonlyMap<string, string> {
    return this.#pool.chain.setAside;
  }

  /** The last seen head. */
  get head(): ChainHead | undefined {
    return this.#watch.head;
  }

  /** The problem that holds up all callers of the nodes; `undefined` if none is known. */
  get trouble(): NodeTrouble | undefined {
    return this.#pool.watch.trouble;
  }

  /** Number of requests of callers that wait for their turn. */
  get waiting(): number {
    return this.#queue.waiting;
  }

  /** The chain's id, decimal, once a node has reported it. */
  get chainId(): string | undefined {
    return this.#heads.chainId || this.#pool.chain.id;
  }

  /** When the head last changed, in milliseconds since 1970. */
  get headAt(): number | undefined {
    return this.#pool.watch.headAt;
  }

  /** The time of the head by the chain's own clock, in milliseconds since 1970. */
  get headTime(): number | undefined {
    return this.#pool.watch.headTime;
  }

  /** Polls the head unless it was polled recently, and waits at most this long for the answer. */
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
   * @param asker takes a turn. A consumer gets the node's answers to all of its calls together, leaving out missing
   *   ones. Any other caller gets an answer to each call
   * @param signal ends the caller's wait, but not a sent request, since others may wait for the same answer
   * @param only the position of the only node to use, for a caller that chooses one
   * @returns no bytes if there were only notifications
   */
  async answer(
    asker: Consumer | Asker,
    body: string,
    signal?: AbortSignal,
    only?: number,
  ): Promise<NodeAnswer> {
    const read = readCalls(body);
    if (!read) return { status: 200, bytes: refusalTo("null", refusals.parse) };
    if (read.calls.length === 0) return { status: 200, bytes: refusalTo("null", refusals.request) };
    const { calls, isList } = read;
    const asked = calls.filter((call) => call.method !== undefined);
    const { outcomes, refused } = await unlessGone(this.#outcomesOf(asked, { asker, signal, only }), signal);
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

  /** Looks up known and pending answers and asks a node for the rest. Returns the outcomes in call order. */
  async #outcomesOf(
    calls: readonly RpcCall[],
    { asker, signal, only }: Pick<Batch, "asker" | "signal" | "only">,
  ): Promise<Pick<Batch, "outcomes" | "refused">> {
    const outcomes = await Promise.all(calls.map((call) => this.#headOutcome(call)));
    const open = outcomes.flatMap(({ result }, index) => (result ? [] : [index]));
    this.#count("memory", calls.length - open.length);
    const questions = calls.map((call, index) => this.#questionOf(call, asker, !outcomes[index]?.result));
    const batch: Batch = { asker, questions, outcomes, signal, only };
    const { missing, awaited } = this.#share(batch, open);
    const ask = (indexes: readonly number[], joins: boolean) => this.#ask(batch, indexes, joins);
    await Promise.all([
      ask(missing, true),
      this.#await(batch, awaited).then((unanswered) => ask(unanswered, false)),
    ]);
    return batch;
  }

  /** Answers a question about the head from the last poll, if recent. */
  async #headOutcome({ method, params }: RpcCall): Promise<Outcome> {
    const result = isHeadRequest(method, params) ? await this.#watch.result() : undefined;
    return result ? { result } : nothing;
  }

  /** A short-lived answer is valid while the head stays the same. */
  #questionOf(call: RpcCall, asker: Consumer | Asker, isOpen: boolean): Question {
    const { head } = this;
    const lasting = lastingOf(call.method, call.params, head?.number);
    const key = keyOf(call.method, call.params, lasting === "for-now" ? head?.hash : undefined);
    const isRepeated = isOpen && lasting !== "not" && asker instanceof Consumer && asker.asks(key);
    if (isRepeated) this.#known.drop(key);
    return { call, lasting, key, isShared: lasting !== "not" && !isRepeated };
  }

  /**
   * Answers a batch's questions from memory, and finds questions already sent to a node.
   * @param joins whether to wait for other callers' requests
   */
  #share(
    { asker, questions, outcomes }: Batch,
    indexes: readonly number[],
    joins = true,
  ): { readonly missing: readonly number[]; readonly awaited: readonly Awaited[] } {
    const missing: number[] = [];
    const awaited: Awaited[] = [];
    for (const index of indexes) {
      const { key, isShared } = questions[index] ?? {};
      const result = isShared && key !== undefined && this.#known.get(key, whoOf(asker), this.#world.now());
      const underWay = isShared && joins ? this.#underWay.get(key) : undefined;
      if (result) outcomes[index] = { result };
      else if (underWay) awaited.push({ index, result: underWay });
      else missing.push(index);
    }
    this.#count("memory", indexes.length - missing.length - awaited.length);
    this.#count("shared", awaited.length);
    return { missing, awaited };
  }

  /**
   * Waits for other callers' questions.
   * @returns the indexes of questions that remain unanswered
   */
  async #await({ outcomes }: Batch, awaited: readonly Awaited[]): Promise<readonly number[]> {
    const unanswered = await Promise.all(
      awaited.map(async ({ index, result }) => {
        const found = await result;
        if (found) outcomes[index] = { result: found };
        return found ? [] : [index];
      }),
    );
    return unanswered.flat();
  }

  /** Asks a node some questions of a batch once it is the asker's turn. */
  async #ask(batch: Batch, indexes: readonly number[], joins: boolean): Promise<void> {
    const { asker, questions, outcomes, signal } = batch;
    if (indexes.length === 0) return;
    const begin = (): Sent<Begun> => this.#begin(batch, indexes, joins);
    const begun = await this.#queue.take(whoOf(asker), begin, signal);
    const { asked, awaited, exchanged } = begun ?? {
      asked: indexes,
      awaited: [],
      exchanged: { answer: gone },
    };
    for (const [at, index] of asked.entries()) {
      outcomes[index] = exchanged?.outcomes?.[at] ?? (exchanged ? errorOf(exchanged.answer) : nothing);
      const { key } = questions[index] ?? {};
      if (key !== undefined && asker instanceof Consumer && !outcomes[index]?.result) asker.gotNone(key);
    }
    if (exchanged && !exchanged.outcomes) batch.refused ??= exchanged.answer;
    await this.#ask(batch, await this.#await(batch, awaited), false);
  }

  /**
   * Sends requests whose turn has come, and caches lasting answers. While they waited, other callers may have sent
   * the same ones.
   */
  #begin(batch: Batch, indexes: readonly number[], joins: boolean): Sent<Begun> {
    const { missing: asked, awaited } = this.#share(batch, indexes, joins);
    if (asked.length === 0) return { requests: 0, result: Promise.resolve({ asked, awaited }) };
    this.#count("node", asked.length);
    const questions = asked.flatMap((index) => batch.questions[index] ?? []);
    const first = this.#lastId + 1;
    this.#lastId += questions.length;
    const calls = questions.map(({ call: { method, params } }, index) => {
      return { jsonrpc: "2.0", id: first + index, method, params };
    });
    const era = this.#era;
    // A consumer checks the chain's id itself, and says why it stops.
    const mayBeStrange =
      batch.asker instanceof Consumer && calls.every(({ method }) => method === "eth_chainId");
    const exchange = this.#pool
      .post(JSON.stringify(calls.length === 1 ? calls[0] : calls), {
        calls: calls.length,
        only: batch.only,
        mayBeStrange,
      })
      .then((answer) => this.#received(answer, first, questions, whoOf(batch.asker), era));
    for (const [index, { key, lasting }] of questions.entries()) {
      if (lasting === "not") continue;
      const result = exchange.then(({ outcomes }) => outcomes?.[index]?.result);
      // The callers waiting for the answer get the error.
      this.#underWay.begin(result, key).catch(() => undefined);
    }
    return {
      requests: asked.length,
      result: exchange.then((exchanged) => ({ asked, awaited, exchanged })),
    };
  }

  #received(
    answer: NodeAnswer,
    first: number,
    questions: readonly Question[],
    asker: Asker,
    era: number,
  ): Exchanged {
    const split = answer.status === 200 ? splitAnswers(answer.bytes) : undefined;
    if (!split) return { answer };
    const parts = split.map((part) => (part.error ? { ...part, error: this.#redact(part.error) } : part));
    const [only] = parts;
    if (questions.length > 1 && parts.length === 1 && only)
      return { answer: answerToAll(only.error, answer) };
    const { outcomes, isOneToOne } = matchAnswers(parts, first, questions.length);
    if (isOneToOne && era === this.#era) {
      for (const [index, question] of questions.entries())
        this.#keep(question, asker, outcomes[index]?.result);
    }
    return { answer, outcomes };
  }

  #keep({ key, lasting }: Question, asker: Asker, result: Uint8Array | undefined): void {
    if (!result || lasting === "not") return;
    const moment = Math.min(1_000, this.#options.pollInterval);
    const settled = lasting === "for-ever" || this.#isOfSafeBlock(result);
    const now = this.#world.now();
    this.#known.set(key, result, asker, now + (settled ? Number.POSITIVE_INFINITY : moment), now);
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

  #count(from: "memory" | "shared" | "node", calls: number): void {
    const { network, meters } = this.#options.metered ?? {};
    if (meters && network !== undefined && calls > 0) meters.called(network, from, calls);
  }

  /** Asks ahead of all other requests, but within their budget. */
  async #askAhead(call: object): Promise<Uint8Array | undefined> {
    this.#queue.spend(1);
    const id = ++this.#lastId;
    const { status, bytes } = await this.#pool.post(JSON.stringify({ jsonrpc: "2.0", id, ...call }));
    const parts = status === 200 && bytes.length <= largestHead ? splitAnswers(bytes) : undefined;
    return parts && matchAnswers(parts, id, 1).outcomes[0]?.result;
  }
}

function whoOf(asker: Consumer | Asker): Asker {
  return asker instanceof Consumer ? asker.asker : asker;
}

/** The outcomes, unless the caller has left. */
async function unlessGone(
  outcomes: Promise<Pick<Batch, "outcomes" | "refused">>,
  signal: AbortSignal | undefined,
): Promise<Pick<Batch, "outcomes" | "refused">> {
  if (!signal) return outcomes;
  const answered = new AbortController();
  const left = new Promise<Pick<Batch, "outcomes" | "refused">>((resolve) => {
    const leave = (): void => resolve({ outcomes: [], refused: gone });
    if (signal.aborted) leave();
    signal.addEventListener("abort", leave, { once: true, signal: answered.signal });
  });
  return Promise.race([outcomes.finally(() => answered.abort()), left]);
}

/** A node's error for a whole batch, without its id. */
function answerToAll(error: Uint8Array | undefined, answer: NodeAnswer): NodeAnswer {
  return error ? { ...answer, bytes: answerTo("null", { error }) } : answer;
}

/** A node's answer to a whole batch, as the outcome of a single call. */
function errorOf({ status, bytes }: NodeAnswer): Outcome {
  const [only] = (status === 200 && splitAnswers(bytes)) || [];
  return only?.error ? { error: only.error } : nothing;
}
