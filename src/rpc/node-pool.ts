import { reportFailure } from "../base/failures.js";
import type { Meters, NodeOutcome } from "../base/meters.js";
import { isRecord, parseJson } from "../base/text/json-value.js";
import { visible } from "../base/text/visible.js";
import { inBackground } from "../base/turns/guarded.js";
import { SingleFlight } from "../base/turns/single-flight.js";
import type { World } from "../base/world.js";
import { saysUnknownMethod } from "../runtime/chain/rpc-errors.js";
import { isAway, NodeAddress, type NodeAnswer } from "./node-address.js";
import { NodeWatch, type SayLine } from "./node-watch.js";
import { PoolChain } from "./pool-chain.js";
import { splitAnswers } from "./split-answers.js";

/** The nodes' network and observers. */
export interface Metered {
  readonly network: string;
  /** The counter of requests. */
  readonly meters: Meters | undefined;
  /** Receives a line when the nodes go away and when they come back. */
  readonly say?: SayLine | undefined;
}

export interface PostOptions {
  /** The number of calls in the body: 1 by default. */
  readonly calls?: number;
  /** The only node to ask, by its position in the list. */
  readonly only?: number | undefined;
  /**
   * Whether a node of another chain may answer if there is no other. Only for callers that check the chain
   * themselves.
   */
  readonly mayBeStrange?: boolean;
}

export interface PoolHooks {
  /** Counts requests that were sent without a turn. */
  readonly spend?: (requests: number) => void;
  /** Called when a node is set aside. Forget its answers. */
  readonly onSetAside?: () => void;
}

/** After this many answers without a chain id, a node counts as one that does not report it. */
const mostUnclear = 3;
const chainIdRequest = { jsonrpc: "2.0", id: 1, method: "eth_chainId", params: [] } as const;

/** The nodes of a network. If one address fails, the next is asked. Nodes of another chain are not used. */
export class NodePool {
  readonly #addresses: readonly NodeAddress[];
  readonly #world: World;
  readonly #signal: AbortSignal;
  readonly #metered: Metered | undefined;
  readonly #spend: (requests: number) => void;
  readonly #checks = new SingleFlight<NodeAnswer>();
  readonly #unclear: number[];
  #hasBegun = false;
  readonly watch: NodeWatch;
  readonly chain: PoolChain;

  /** @throws Error if an address is not a web URL */
  constructor(
    addresses: readonly string[],
    world: World,
    signal: AbortSignal,
    metered: Metered | undefined,
    { spend = () => undefined, onSetAside = () => undefined }: PoolHooks = {},
  ) {
    this.#addresses = addresses.map((address) => new NodeAddress(address, world));
    this.#world = world;
    this.#signal = signal;
    this.#metered = metered;
    this.#spend = spend;
    this.#unclear = addresses.map(() => 0);
    const now = (): number => world.now();
    this.chain = new PoolChain({
      network: metered?.network,
      names: this.names,
      now,
      say: metered?.say,
      onSetAside,
    });
    this.watch = new NodeWatch(
      metered?.network ?? "the network",
      now,
      metered?.say,
      () => this.chain.trouble,
    );
  }

  get name(): string {
    return this.#addresses[0]?.name ?? "";
  }

  /** The name of each node in messages, in list order. */
  get names(): readonly string[] {
    return this.#addresses.map(({ name }) => name);
  }

  /** Tries one address after another until one answers. Recently failed addresses come last. */
  async post(body: string, { calls = 1, only, mayBeStrange = false }: PostOptions = {}): Promise<NodeAnswer> {
    this.#checkAll();
    const asked = this.#world.now();
    let answer: NodeAnswer | undefined;
    let strange: number | undefined;
    let posts = 0;
    for (const at of this.#order(only)) {
      const refused = await this.#refusalOf(at);
      answer = refused ?? answer;
      if (refused) continue;
      if (this.chain.isSetAside(at)) {
        strange ??= at;
        continue;
      }
      if (posts++ > 0) this.#spend(calls);
      answer = await this.#send(at, body);
      // The answer may show that the address now leads to another node.
      if (isAway(answer.status)) continue;
      this.watch.answered();
      if (!this.chain.isSetAside(at)) return answer;
      strange ??= at;
      answer = undefined;
    }
    if (answer) {
      if (!this.#signal.aborted) this.watch.failed(whyOf(answer), asked);
      return answer;
    }
    if (strange === undefined) return silent("no node is configured");
    if (mayBeStrange) return this.#send(strange, body);
    return silent(this.chain.trouble?.why ?? "the node is of another chain");
  }

  /** The positions of the addresses, in the order in which to ask them. */
  #order(only: number | undefined): readonly number[] {
    const all = [...this.#addresses.keys()];
    if (only !== undefined) return all.filter((at) => at === only);
    const resting = all.filter((at) => this.#addresses[at]?.rests);
    return [...all.filter((at) => !resting.includes(at)), ...resting];
  }

  /** Asks all nodes for their chain once, to detect a node of another chain before it is needed. */
  #checkAll(): void {
    if (this.#hasBegun || !this.chain.isChecked) return;
    this.#hasBegun = true;
    for (const at of this.#addresses.keys()) inBackground(this.#check(at), reportFailure);
  }

  /**
   * Ensures that a node's chain is known.
   * @returns the node's answer if it is away
   */
  async #refusalOf(at: number): Promise<NodeAnswer | undefined> {
    const mayChange = this.chain.isSetAside(at) && this.chain.id === undefined && this.chain.mayAskAgain(at);
    if (!this.chain.isDue(at) && !mayChange) {
      if (this.chain.beginsRenewal(at)) inBackground(this.#check(at), reportFailure);
      return undefined;
    }
    const said = await this.#check(at);
    if (isAway(said.status)) return said;
    if (this.chain.isOpen)
      await Promise.all(this.#addresses.flatMap((_, other) => this.#checks.get(String(other)) ?? []));
    return undefined;
  }

  #check(at: number): Promise<NodeAnswer> {
    return this.#checks.run(async () => {
      this.#spend(1);
      const answer = await this.#send(at, JSON.stringify(chainIdRequest));
      // Being slow to repeat the id counts like refusing to: the node's other answers remain valid.
      const isTrusted = (!isAway(answer.status) || answer.silence === "late") && this.chain.trustsAgain(at);
      if (isAway(answer.status) || !this.chain.isDue(at) || isTrusted) return answer;
      const [{ error = undefined } = {}] = (answer.status === 200 && splitAnswers(answer.bytes)) || [];
      const unclear = (this.#unclear[at] ?? 0) + 1;
      this.#unclear[at] = unclear;
      if (error && !isUnknownMethod(error) && unclear < mostUnclear) return { status: 503, bytes: error };
      this.chain.heard(at, "");
      return answer;
    }, String(at));
  }

  async #send(at: number, body: string): Promise<NodeAnswer> {
    const address = this.#addresses[at];
    if (!address) return silent("no node is configured");
    const began = this.#world.now();
    const answer = await address.post(body, this.#signal);
    this.#count(address, answer, began);
    if (answer.silence === "away") this.chain.lost(at);
    if (answer.status === 200 && body.includes('"eth_chainId"')) {
      const id = chainIdIn(body, answer.bytes);
      if (id !== undefined) this.chain.heard(at, id);
    }
    return answer;
  }

  /** Removes the addresses' possible keys from a text, because nodes repeat them. */
  redact(text: string): string {
    return this.#addresses.reduce((clean, address) => address.redact(clean), text);
  }

  #count({ name }: NodeAddress, answer: NodeAnswer, began: number): void {
    const { network, meters } = this.#metered ?? {};
    if (!meters || network === undefined || this.#signal.aborted) return;
    const outcome = outcomeOf(answer.status);
    const seconds = (this.#world.now() - began) / 1000;
    if (outcome === "answered") meters.askedNode(network, outcome, seconds, name);
    else meters.askedNode(network, outcome, seconds, name, whyOf(answer));
  }
}

/** The decimal chain id in an answer; `undefined` if there is none. */
function chainIdIn(body: string, bytes: Uint8Array): string | undefined {
  const calls = [parseJson(body)].flat().filter(isRecord);
  const answers = new Map(splitAnswers(bytes)?.map(({ id, result }) => [id, result]));
  const results = calls.flatMap(({ id, method }) =>
    method === "eth_chainId" ? (answers.get(JSON.stringify(id)) ?? []) : [],
  );
  const [, digits] =
    /^"(0x[0-9a-f]{1,16})"$/i.exec(new TextDecoder().decode(results[0]?.subarray(0, 30))) ?? [];
  return digits === undefined ? undefined : String(BigInt(digits));
}

function isUnknownMethod(error: Uint8Array): boolean {
  const json = parseJson(new TextDecoder().decode(error));
  if (!isRecord(json)) return true;
  const { code, message } = json;
  return saysUnknownMethod({ code: Number(code), reason: String(message), data: undefined });
}

/** The answer if no node answers. */
function silent(why: string): NodeAnswer {
  return { status: 503, bytes: new TextEncoder().encode(why), silence: "away" };
}

/** The reason for a missing answer, without a final period. */
function whyOf({ status, bytes, silence }: NodeAnswer): string {
  const text = visible(new TextDecoder().decode(bytes.subarray(0, 300)).trim());
  if (silence) return text;
  return `HTTP status ${status}${text === "" ? "" : `: ${text}`}`;
}

function outcomeOf(status: number): NodeOutcome {
  if (status === 200) return "answered";
  if (status === 429) return "limited";
  return isAway(status) ? "away" : "refused";
}
