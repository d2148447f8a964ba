import { isRecord, parseJson } from "../../../base/json-value.js";
import type { World } from "../../../base/world.js";
import type { Meters, NodeOutcome } from "../../meters.js";
import { FairQueue, type NodeLimits } from "./fair-queue.js";
import { type ChainHead, HeadWatch, type SeenHead } from "./head-watch.js";
import { KnownAnswers, keyOf, lastingOf, safeDepth } from "./known-answers.js";
import { isAway, NodeAddress, type NodeAnswer } from "./node-address.js";
import { type AnswerPart, splitAnswers } from "./split-answers.js";

/** How the nodes of a network are used. */
export interface GatewayOptions extends NodeLimits {
  /** Milliseconds between two looks at the chain head. */
  readonly pollInterval: number;
  /** Bytes of answers that are kept for others who ask the same. */
  readonly cacheBytes: number;
  /** Where requests are counted, and for which network. */
  readonly metered?: { readonly network: string; readonly meters: Meters | undefined };
}

/** A request of a body. */
interface Request {
  readonly id: string;
  readonly method: string;
  readonly params: unknown;
}

interface Exchanged {
  readonly answer: NodeAnswer;
  /** Nothing when it is no answer to requests. */
  readonly parts: readonly AnswerPart[] | undefined;
}

const headRequest = { method: "eth_getBlockByNumber", params: ["latest", false] } as const;

/**
 * The nodes of one network, for everybody who asks them: one after the other by rounds, what is known already or being
 * asked for is not asked again, and where one address fails the next one is asked. Answers stay bytes.
 */
export class Gateway {
  readonly #addresses: readonly NodeAddress[];
  readonly #options: GatewayOptions;
  readonly #world: World;
  readonly #signal: AbortSignal;
  readonly #queue: FairQueue;
  readonly #known: KnownAnswers;
  readonly #underWay = new Map<string, Promise<Uint8Array | undefined>>();
  readonly #watch: HeadWatch;
  #headKey = "";

  /** @throws Error when an address is not one of the web */
  constructor(addresses: readonly string[], options: GatewayOptions, world: World, signal: AbortSignal) {
    this.#addresses = addresses.map((address) => new NodeAddress(address, world));
    this.#options = options;
    this.#world = world;
    this.#signal = signal;
    this.#queue = new FairQueue(options, world, signal);
    this.#known = new KnownAnswers(options.cacheBytes);
    this.#watch = new HeadWatch(() => this.#askHead(), options.pollInterval, world, signal);
  }

  /** What messages may call the node. */
  get name(): string {
    return this.#addresses[0]?.name ?? "";
  }

  /** The head, as it was last seen. */
  get head(): ChainHead | undefined {
    return this.#watch.head;
  }

  /** Hears of new heads until the function given back is called; the head is looked at as long as somebody hears. */
  onHead(hear: (head: ChainHead) => void): () => void {
    return this.#watch.hear(hear);
  }

  /** Answers a JSON-RPC body. @param asker whose turn it is to be */
  async answer(asker: string, body: string): Promise<NodeAnswer> {
    const json = parseJson(body);
    const requests = (Array.isArray(json) ? json : [json]).map(requestOf);
    if (!requests.every((request) => request !== undefined)) return this.#send(asker, 1, body);
    const isList = Array.isArray(json);
    const results = await this.#headResults(requests);
    const others = requests.filter(({ id }) => !results.has(id));
    // From here on nothing is waited for until what is missing is asked for: who comes meanwhile asks for the same.
    const missing: Request[] = [];
    const awaited: { readonly request: Request; readonly result: Promise<Uint8Array | undefined> }[] = [];
    for (const request of others) {
      const key = this.#keyOf(request.method, request.params);
      const found = this.#known.get(key, this.#world.now());
      const underWay = this.#underWay.get(key);
      if (found) results.set(request.id, found);
      else if (underWay) awaited.push({ request, result: underWay });
      else missing.push(request);
    }
    this.#count({ memory: results.size, shared: awaited.length, node: missing.length });
    const asking = missing.length > 0 ? this.#ask(asker, missing) : undefined;
    const unanswered: Request[] = [];
    for (const { request, result } of awaited) {
      const found = await result;
      if (found) results.set(request.id, found);
      else unanswered.push(request);
    }
    const errors = new Map<string, Uint8Array>();
    for (const [asked, exchange] of [
      [missing, asking] as const,
      [unanswered, unanswered.length > 0 ? this.#ask(asker, unanswered) : undefined] as const,
    ]) {
      const exchanged = await exchange;
      if (!exchanged) continue;
      const { answer, parts } = exchanged;
      // What is no list of answers is judged by whoever asked.
      if (!parts || (parts.length === 1 && asked.length > 1)) return answer;
      this.#sort(parts, results, errors);
    }
    return answerOf(requests, results, errors, isList);
  }

  /** What is asked about the head, as it was seen a moment ago. */
  async #headResults(requests: readonly Request[]): Promise<Map<string, Uint8Array>> {
    const results = new Map<string, Uint8Array>();
    for (const { id, method, params } of requests) {
      const result = isHeadRequest(method, params) ? await this.#watch.result() : undefined;
      if (result) results.set(id, result);
    }
    return results;
  }

  /** Asks what nobody knows, and keeps what lasts for others. */
  async #ask(asker: string, requests: readonly Request[]): Promise<Exchanged> {
    const keys = requests.map(({ method, params }) => {
      const lasting = lastingOf(method, params, this.head?.number);
      return { key: this.#keyOf(method, params), lasting };
    });
    const bodies = requests.map(
      ({ id, method, params }) =>
        `{"jsonrpc":"2.0","id":${id},"method":${JSON.stringify(method)},"params":${JSON.stringify(params)}}`,
    );
    const body = bodies.length === 1 ? (bodies[0] ?? "") : `[${bodies.join(",")}]`;
    const exchange = this.#send(asker, requests.length, body).then((answer) => ({
      answer,
      parts: answer.status === 200 ? splitAnswers(answer.bytes) : undefined,
    }));
    const found = exchange.then(({ parts }) => new Map(parts?.map(({ id, result }) => [id, result])));
    for (const [index, { key, lasting }] of keys.entries()) {
      if (lasting === "not") continue;
      const id = requests[index]?.id ?? "";
      const result = found.then((results) => {
        this.#underWay.delete(key);
        const one = results.get(id);
        if (one) this.#keep(key, one, lasting === "for-ever");
        return one;
      });
      this.#underWay.set(key, result);
    }
    return exchange;
  }

  #keep(key: string, result: Uint8Array, isForEver: boolean): void {
    const moment = Math.min(1_000, this.#options.pollInterval);
    const settled = isForEver || this.#isOfSafeBlock(result);
    this.#known.set(key, result, settled ? Number.POSITIVE_INFINITY : this.#world.now() + moment);
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

  /** What holds for now holds as long as the head is the same. */
  #keyOf(method: string, params: unknown): string {
    const lasting = lastingOf(method, params, this.head?.number);
    const key = keyOf(method, params);
    return lasting === "for-now" ? `${key} ${this.#headKey}` : key;
  }

  #sort(
    parts: readonly AnswerPart[],
    results: Map<string, Uint8Array>,
    errors: Map<string, Uint8Array>,
  ): void {
    for (const { id, result, whole } of parts) {
      if (result) results.set(id, result);
      else errors.set(id, new TextEncoder().encode(this.#redact(new TextDecoder().decode(whole))));
    }
  }

  #redact(text: string): string {
    return this.#addresses.reduce((clean, address) => address.redact(clean), text);
  }

  #send(asker: string, requests: number, body: string): Promise<NodeAnswer> {
    return this.#queue.take(asker, requests, () => this.#post(body));
  }

  /** Asks one address after the other until one answers; those that have failed a moment ago come last. */
  async #post(body: string): Promise<NodeAnswer> {
    const fresh = this.#addresses.filter(({ rests }) => !rests);
    const all = [...fresh, ...this.#addresses.filter((address) => !fresh.includes(address))];
    let answer: NodeAnswer = { status: 503, bytes: new TextEncoder().encode("there is no node") };
    for (const address of all) {
      const began = this.#world.now();
      answer = await address.post(body, this.#signal);
      this.#countAnswer(answer.status, began);
      if (!isAway(answer.status)) return answer;
    }
    return answer;
  }

  #count(calls: Readonly<Record<"memory" | "shared" | "node", number>>): void {
    const { network, meters } = this.#options.metered ?? {};
    if (!meters || network === undefined) return;
    for (const from of ["memory", "shared", "node"] as const)
      if (calls[from] > 0) meters.called(network, from, calls[from]);
  }

  #countAnswer(status: number, began: number): void {
    const { network, meters } = this.#options.metered ?? {};
    if (!meters || network === undefined || this.#signal.aborted) return;
    meters.askedNode(network, outcomeOf(status), (this.#world.now() - began) / 1000);
  }

  async #askHead(): Promise<SeenHead | undefined> {
    const { status, bytes } = await this.#post(JSON.stringify({ jsonrpc: "2.0", id: 1, ...headRequest }));
    const result = status === 200 ? splitAnswers(bytes)?.[0]?.result : undefined;
    const block = result && parseJson(new TextDecoder().decode(result));
    if (!result || !isRecord(block)) return undefined;
    const { number, hash } = block;
    if (typeof number !== "string" || typeof hash !== "string") return undefined;
    this.#headKey = hash;
    return { head: { number: Number(number), hash }, result };
  }
}

function outcomeOf(status: number): NodeOutcome {
  if (status === 200) return "answered";
  if (status === 429) return "limited";
  return isAway(status) ? "away" : "refused";
}

function requestOf(json: unknown): Request | undefined {
  if (!isRecord(json)) return undefined;
  const { id, method, params } = json;
  return typeof id === "number" && typeof method === "string"
    ? { id: String(id), method, params }
    : undefined;
}

function isHeadRequest(method: string, params: unknown): boolean {
  return (
    method === headRequest.method && Array.isArray(params) && params[0] === "latest" && params[1] === false
  );
}

/** Puts an answer together, in the order of the requests; what there is no answer to is left out. */
function answerOf(
  requests: readonly Request[],
  results: ReadonlyMap<string, Uint8Array>,
  errors: ReadonlyMap<string, Uint8Array>,
  isList: boolean,
): NodeAnswer {
  const text = (json: string): Uint8Array => new TextEncoder().encode(json);
  const pieces: Uint8Array[] = [];
  for (const { id } of requests) {
    const [result, error] = [results.get(id), errors.get(id)];
    if (!result && !error) continue;
    if (pieces.length > 0) pieces.push(text(","));
    if (result) pieces.push(text(`{"jsonrpc":"2.0","id":${id},"result":`), result, text("}"));
    else if (error) pieces.push(error);
  }
  const all = isList ? [text("["), ...pieces, text("]")] : pieces;
  // Memory of its own, so that it can be given away.
  const bytes = new Uint8Array(all.reduce((total, { length }) => total + length, 0));
  let at = 0;
  for (const piece of all) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return { status: 200, bytes };
}
