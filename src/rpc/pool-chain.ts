import { localChainIds } from "../chains/local-chains.js";
import { chainOfName } from "../chains/look-up-chain.js";
import type { SayLine } from "./node-watch.js";

/** How long a reported id counts, in milliseconds. After that, the address may lead to another node. */
const longestTrusted = 60_000;
/**
 * Milliseconds after which a node is asked for its id again while the old one still counts, so that no caller has to
 * wait. A request without an answer ends before the id expires.
 */
const renewedAfter = 25_000;
/** Minimum milliseconds between checks of a node of another chain if the network has no other node. */
const shortestPause = 1_000;

/** What a node has reported about its chain. */
interface Told {
  /** Decimal; empty if the node does not report it, and `undefined` before it is asked. */
  id: string | undefined;
  at: number;
  /** When the last renewal began. */
  renewedAt: number;
  /** Whether the address may now lead to another node. */
  isDoubted: boolean;
  /** Whether it was logged as set aside. */
  isAside: boolean;
}

/** The nodes of a network, by position in its list. */
export interface PoolChainOptions {
  readonly network: string | undefined;
  /** The nodes' names in messages. */
  readonly names: readonly string[];
  readonly now: () => number;
  readonly say?: SayLine | undefined;
  /** Called when a node is set aside. Its answers must not be used. */
  readonly onSetAside: () => void;
}

/**
 * Decides which nodes of a pool belong to the network's chain. A node of another chain is set aside. The network's
 * name determines the chain; for an unknown network, it is the chain of the first node that reports one. A local
 * chain may stand for any network, unless the pool has a node of the real chain. A node that does not report its
 * chain's id is not set aside.
 */
export class PoolChain {
  readonly #network: string;
  readonly #wanted: string | undefined;
  readonly #names: readonly string[];
  readonly #told: readonly Told[];
  readonly #now: () => number;
  readonly #say: SayLine;
  readonly #onSetAside: () => void;
  #id: string | undefined;
  #strangeSince: number | undefined;

  constructor({ network, names, now, say = () => undefined, onSetAside }: PoolChainOptions) {
    this.#network = network ?? "the network";
    this.#wanted = network === undefined ? undefined : chainOfName(network)?.chainId;
    this.#names = names;
    this.#told = names.map(() => ({
      id: undefined,
      at: Number.NEGATIVE_INFINITY,
      renewedAt: Number.NEGATIVE_INFINITY,
      isDoubted: false,
      isAside: false,
    }));
    this.#now = now;
    this.#say = say;
    this.#onSetAside = onSetAside;
  }

  /** The id of the chain whose answers are used, decimal; `undefined` until a node has reported one. */
  get id(): string | undefined {
    return this.#id;
  }

  /** Whether there is a chain to compare ids with. */
  get isChecked(): boolean {
    return this.#wanted !== undefined || this.#names.length > 1;
  }

  /** Whether a local chain may still be replaced by the real one. */
  get isOpen(): boolean {
    return this.#wanted !== undefined && this.#id !== this.#wanted;
  }

  /** Whether a node must be asked for its chain before its next answer is used. */
  isDue(at: number): boolean {
    const { id, at: since, isDoubted } = this.#toldOf(at);
    if (!this.isChecked || id === "") return false;
    return id === undefined || isDoubted || this.#now() - since >= longestTrusted;
  }

  /** Whether to renew a node's id that still counts. If so, marks the renewal as begun. */
  beginsRenewal(at: number): boolean {
    const told = this.#toldOf(at);
    const now = this.#now();
    const isYoung = now - Math.max(told.at, told.renewedAt) < renewedAfter;
    if (!this.isChecked || told.id === undefined || told.id === "" || isYoung) return false;
    told.renewedAt = now;
    return true;
  }

  /** Whether a node of another chain may be asked again, because the pool has no other. */
  mayAskAgain(at: number): boolean {
    return this.#now() - this.#toldOf(at).at >= shortestPause;
  }

  /** Whether a node belongs to another chain. */
  isSetAside(at: number): boolean {
    const { id } = this.#toldOf(at);
    return this.isChecked && id !== undefined && id !== "" && id !== this.#id;
  }

  /** Records that a connection was lost: the address may now lead to another node. */
  lost(at: number): void {
    this.#toldOf(at).isDoubted = true;
  }

  /**
   * Keeps trusting the id that a node has reported.
   * @returns whether there is one that is not in doubt
   */
  trustsAgain(at: number): boolean {
    const told = this.#toldOf(at);
    if (told.id === undefined || told.isDoubted) return false;
    told.at = this.#now();
    return true;
  }

  /** Records the id that a node has reported. @param id decimal; empty if it reports none */
  heard(at: number, id: string): void {
    const told = this.#toldOf(at);
    told.at = this.#now();
    told.isDoubted = false;
    if (told.id === id) return;
    told.id = id;
    this.#id = this.#choose();
    this.#sayChanges();
  }

  /** Why a node was set aside, by name. */
  get setAside(): ReadonlyMap<string, string> {
    const all = this.#names.flatMap((name, at) =>
      this.isSetAside(at) ? [[name, this.#why(at)] as const] : [],
    );
    return new Map(all);
  }

  /** Since when all nodes belong to another chain, and a sentence about that. */
  get trouble(): { readonly since: number; readonly why: string } | undefined {
    const [first] = this.#told;
    if (this.#strangeSince === undefined || !first) return undefined;
    const node = this.#names.length > 1 ? "its first node" : "its node";
    const why = `${this.#network} is chain ${this.#wanted}, but ${node} serves chain ${first.id}. Its answers are not used. Pass a node of ${this.#network}, or correct the name of the network`;
    return { since: this.#strangeSince, why };
  }

  /** Prefers the real chain, then the current one, then that of the first node. */
  #choose(): string | undefined {
    const ids = this.#told.flatMap(({ id }) => (id === undefined || id === "" ? [] : [id]));
    const allowed = ids.filter(
      (id) => this.#wanted === undefined || id === this.#wanted || localChainIds.has(id),
    );
    const preferred = [this.#wanted, this.#id].find((id) => id !== undefined && allowed.includes(id));
    return preferred ?? allowed[0];
  }

  #sayChanges(): void {
    for (const [at, told] of this.#told.entries()) {
      const isAside = this.isSetAside(at);
      if (isAside === told.isAside) continue;
      told.isAside = isAside;
      if (isAside) {
        this.#onSetAside();
        this.#say("warn", this.#why(at));
      } else
        this.#say(
          "info",
          `The node ${this.#names[at]} of ${this.#network} is used: it serves chain ${told.id}`,
        );
    }
    const areAllAside = this.#told.every(({ isAside }) => isAside);
    this.#strangeSince = areAllAside ? (this.#strangeSince ?? this.#now()) : undefined;
  }

  #why(at: number): string {
    const own = `The node ${this.#names[at]} serves chain ${this.#toldOf(at).id}, but`;
    const isOfName = this.#wanted !== undefined && (this.#id === undefined || this.#id === this.#wanted);
    const other = isOfName
      ? `${this.#network} is chain ${this.#wanted}`
      : `another node of ${this.#network} serves chain ${this.#id}`;
    return `${own} ${other}. Its answers are not used`;
  }

  #toldOf(at: number): Told {
    const told = this.#told[at];
    if (!told) throw new RangeError(`the network has no node ${at}`);
    return told;
  }
}
