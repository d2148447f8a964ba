import { isRecord, parseJson } from "../base/json-value.js";
import { SingleFlight } from "../base/single-flight.js";
import type { World } from "../base/world.js";
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

/** How the nodes of a network are used. */
export interface GatewayOptions extends NodeLimits {
  /** Milliseconds between two looks at the chain head. */
  readonly pollInterval: number;
  /** Bytes of answers that are kept for others who ask the same. */
  readonly cacheBytes: number;
  /**
   * Milliseconds for which an answer is kept at the most. Needed where those who ask cannot reject an answer: what a node
   * said wrong once must not stay.
   */
  readonly longestKept?: number;
  /** Whose nodes they are, and who hears of them. */
  readonly metered?: Metered;
}

/** What is asked, and how long its answer holds. */
interface Question {
  readonly call: RpcCall;
  readonly key: string;
  readonly lasting: Lasting;
}

/** What a node said to calls that it was asked together; without outcomes when it is no answer to them. */
interface Exchanged {
  readonly answer: NodeAnswer;
  readonly outcomes?: readonly Outcome[];
}

/** Whoever asks: somebody who judges answers, or a name. */
type Asker = Consumer | string;

const headRequest = { method: "eth_getBlockByNumber", params: ["latest", false] } as const;
/** Bytes of a header with the hashes of its transactions. */
const largestHead = 4 * 1_048_576;
const nothing: Outcome = {};
/** Chains for development make blocks when there are transactions, so that none for a while means nothing. */
const localChains: ReadonlySet<string> = new Set(["31337", "1337", ""]);

/**
 * The nodes of one network, for everybody who asks them: one after the other by rounds, what is known already or being
 * asked for is not asked again, and where one address fails the next one is asked. Answers stay bytes.
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
  /** Counts how often all that was kept was forgotten; what was asked before that is not kept. */
  #era = 0;
  /** Decimal; empty when the node does not tell. */
  #chainId: string | undefined;
  #askedChainAfter = 0;

  /** @throws Error when an address is not one of the web */
  constructor(addresses: readonly string[], options: GatewayOptions, world: World, signal: AbortSignal) {
    this.#pool = new NodePool(addresses, world, signal, options.metered);
    this.#options = options;
    this.#world = world;
    this.#queue = new FairQueue(options, world, signal);
    this.#known = new KnownAnswers(options.cacheBytes);
    this.#watch = new HeadWatch(() => this.#askHead(), options.pollInterval, world, signal);
  }

  /** What messages may call the node. */
  get name(): string {
    return this.#pool.name;
  }

  /** The head, as it was last seen. */
  get head(): ChainHead | undefined {
    return this.#watch.head;
  }

  /** What keeps everybody waiting who asks the nodes; nothing when all is well, as far as it is known. */
  get trouble(): NodeTrouble | undefined {
    return this.#pool.watch.trouble;
  }

  /** The chain's id, decimal, once a node has told it. */
  get chainId(): string | undefined {
    return this.#chainId || undefined;
  }

  /** When the head was seen to change last, in milliseconds since 1970. */
  get headAt(): number | undefined {
    return this.#pool.watch.headAt;
  }

  /** Looks at the head, if nobody has looked for a while, and waits for that up to a number of milliseconds. */
  glance(milliseconds: number): Promise<void> {
    return this.#watch.glance(milliseconds);
  }

  /** Hears of new heads until the function given back is called; the head is looked at as long as somebody hears. */
  onHead(hear: (head: ChainHead) => void): () => void {
    return this.#watch.hear(hear);
  }

  /**
   * Answers a JSON-RPC body. On their way to a node the calls have ids of our own, by which the answers are matched; the
   * caller's come back as they were.
   * @param asker whose turn it is to be. A consumer is told what a node said to all of its calls together, and gets no
   *   answer to a call where the node gave none; for anybody else each call has an answer of its own
   * @returns no bytes when there were only notifications
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

  /** Looks for what is known or being asked for, and asks a node for the rest. The outcomes are in the calls' order. */
  async #outcomesOf(
    calls: readonly RpcCall[],
    asker: Asker,
  ): Promise<{ readonly outcomes: readonly Outcome[]; readonly refused?: NodeAnswer }> {
    const outcomes = await Promise.all(calls.map((call) => this.#headOutcome(call)));
    // From here on nothing is waited for until what is missing is asked for: who comes meanwhile asks for the same.
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

  /** What is asked about the head, as it was seen a moment ago. */
  async #headOutcome({ method, params }: RpcCall): Promise<Outcome> {
    const result = isHeadRequest(method, params) ? await this.#watch.result() : undefined;
    return result ? { result } : nothing;
  }

  /** What holds for now holds as long as the head is the same. */
  #questionOf(call: RpcCall): Question {
    const { head } = this;
    const lasting = lastingOf(call.method, call.params, head?.number);
    return {
      call,
      lasting,
      key: keyOf(call.method, call.params, lasting === "for-now" ? head?.hash : undefined),
    };
  }

  /** What is kept of a question, or is on its way; nothing for a consumer that has asked it before. */
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
   * Asks a node some of the questions, and puts their outcomes where they belong.
   * @returns what the node said when it is no answer to them
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

  /** Asks a node, and keeps for others what lasts. */
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
      // Whoever waits for it hears of what went wrong.
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

  /** Whether a receipt is of a block that is not replaced any more. */
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
    // What was kept of blocks that may be gone is asked for again.
    if (this.head && head.number < this.head.number) this.#forget();
    const hasJumped = this.head !== undefined && head.number > this.head.number + safeDepth;
    if (hasJumped || this.#chainId === undefined || this.#askedChainAfter !== this.#pool.watch.absences) {
      await this.#askChainId();
    }
    const isPaced = this.#chainId !== undefined && !localChains.has(this.#chainId);
    this.#pool.watch.sawHead(head.number, isPaced);
    return { head, result };
  }

  /** Another node may be behind the address. One that does not tell its chain's id is not asked again. */
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

/** An error that a node gave to all calls of a batch together, without the id that it may have named. */
function answerToAll(error: Uint8Array | undefined, answer: NodeAnswer): NodeAnswer {
  return error ? { ...answer, bytes: answerTo("null", { error }) } : answer;
}

/** What a node said to all calls together, as an outcome of one of them. */
function errorOf({ status, bytes }: NodeAnswer): Outcome {
  const [only] = (status === 200 && splitAnswers(bytes)) || [];
  return only?.error ? { error: only.error } : nothing;
}
