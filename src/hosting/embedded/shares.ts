import { type LockView, ownSession } from "./lease-locks.js";

/** A deployment that this server was asked to index. */
export interface WantedShare {
  readonly deployment: string;
  readonly network: string;
}

/** So many looks in a row a deployment is left to the others; then anybody may take it. */
const patience = 3;
/** After so many looks in a row that saw it have too many, a server gives some to the others. */
const settling = 3;
/** The same when the others have not taken what was given to them: twice as many each time, up to this. */
const longestSettling = 200;
/** Those that nobody took within so many looks were given in vain. */
const longestOffer = 10;
/** So many are given at once at the most: they stand still until another server goes on with them. */
const mostAtOnce = 8;

/**
 * How the servers that have a node of a network divide its deployments, each by what it sees. Time is counted in looks.
 * @param wanted what this server is to index now, whoever does
 */
export class Shares {
  readonly #wanted: () => readonly WantedShare[];
  /** What is held, and the networks of that; the one that was taken first comes first. */
  readonly #held = new Map<string, string>();
  readonly #leaving = new Set<string>();
  /** For how many looks in a row nobody held a deployment. */
  readonly #freeFor = new Map<string, number>();
  readonly #balances = new Map<string, Balance>();
  #view: LockView = { servers: new Map(), holders: new Map() };

  constructor(wanted: () => readonly WantedShare[]) {
    this.#wanted = wanted;
  }

  get held(): readonly string[] {
    return [...this.#held.keys()];
  }

  has(deployment: string): boolean {
    return this.#held.has(deployment);
  }

  took({ deployment, network }: WantedShare): void {
    this.#held.set(deployment, network);
    if (this.#serversOf(network).others.length > 0) this.#balances.get(network)?.took(deployment);
  }

  /** @returns whether it was held */
  gaveBack(deployment: string): boolean {
    this.#leaving.delete(deployment);
    return this.#held.delete(deployment);
  }

  /**
   * Whether a deployment that nobody holds is for this server.
   * @param isAwaited whether somebody waits for it: then it is whoever hears of it first
   */
  isForUs({ deployment, network }: WantedShare, isAwaited: boolean): boolean {
    const { others, isOurs } = this.#serversOf(network);
    if (others.length === 0) return true;
    if (!isOurs) return false;
    if (isAwaited || (this.#freeFor.get(deployment) ?? 0) >= patience) return true;
    if (this.#balances.get(network)?.hasOffered(deployment)) return false;
    const all = this.#wanted().filter((one) => one.network === network);
    return this.#staying(network).length < Math.ceil(all.length / (others.length + 1));
  }

  /** Takes in what a look has shown. @returns the deployments that are free, and for this server */
  see(view: LockView): readonly string[] {
    this.#view = view;
    const free = this.#wanted().filter(({ deployment }) => !view.holders.has(deployment));
    const freeFor = new Map(
      free.map(({ deployment }) => [deployment, (this.#freeFor.get(deployment) ?? 0) + 1]),
    );
    this.#freeFor.clear();
    for (const [deployment, looks] of freeFor) this.#freeFor.set(deployment, looks);
    return free.filter((one) => this.isForUs(one, false)).map(({ deployment }) => deployment);
  }

  /** To be asked once after each look. @returns what is to be given to other servers: it leaves from now on */
  surplus(): readonly string[] {
    return [...this.#view.servers.keys()].flatMap((network) => {
      const { others, isOurs } = this.#serversOf(network);
      if (!isOurs) return [];
      const balance = this.#balances.get(network) ?? new Balance();
      this.#balances.set(network, balance);
      const staying = this.#staying(network);
      const loads = others.map((session) => this.#loadOf(session, network));
      const isOut = (deployment: string): boolean =>
        this.#leaving.has(deployment) || this.#freeFor.has(deployment);
      const given = staying.slice(0, balance.weigh(staying.length, loads, isOut));
      if (given.length > 0) balance.offer(given);
      for (const deployment of given) this.#leaving.add(deployment);
      return given;
    });
  }

  #serversOf(network: string): { readonly others: readonly string[]; readonly isOurs: boolean } {
    const all = this.#view.servers.get(network) ?? [];
    return { others: all.filter((session) => session !== ownSession), isOurs: all.includes(ownSession) };
  }

  #staying(network: string): readonly string[] {
    return this.held.filter((one) => this.#held.get(one) === network && !this.#leaving.has(one));
  }

  #loadOf(session: string, network: string): number {
    const { holders } = this.#view;
    return this.#wanted().filter((one) => one.network === network && holders.get(one.deployment) === session)
      .length;
  }
}

/** Knows when a server has given and has to give deployments of one network to others. */
class Balance {
  #settling = settling;
  #unevenFor = 0;
  #offered: ReadonlySet<string> = new Set();
  #offeredFor = 0;

  hasOffered(deployment: string): boolean {
    return this.#offered.has(deployment);
  }

  offer(deployments: readonly string[]): void {
    this.#offered = new Set(deployments);
    this.#offeredFor = 0;
  }

  /** It was taken here: when it was offered, nobody else wanted it. */
  took(deployment: string): void {
    if (!this.#offered.has(deployment)) return;
    this.#offered = new Set();
    this.#settling = Math.min(2 * this.#settling, longestSettling);
  }

  /**
   * How many to give, after a look.
   * @param own how many there are here
   * @param others how many each of the others has
   * @param isOut whether one that was offered is with nobody else yet
   */
  weigh(own: number, others: readonly number[], isOut: (deployment: string) => boolean): number {
    if (this.#isWaiting(isOut)) return 0;
    const spare = others.length === 0 ? 0 : Math.floor((own - Math.min(...others)) / 2);
    this.#unevenFor = spare > 0 ? this.#unevenFor + 1 : 0;
    if (this.#unevenFor < this.#settling) return 0;
    this.#unevenFor = 0;
    // One is enough to see whether the others take again what is given to them.
    return Math.min(spare, this.#settling > settling ? 1 : mostAtOnce);
  }

  #isWaiting(isOut: (deployment: string) => boolean): boolean {
    if (this.#offered.size === 0) return false;
    const isAnyOut = [...this.#offered].some(isOut);
    this.#offeredFor += 1;
    if (isAnyOut && this.#offeredFor <= longestOffer) return true;
    if (!isAnyOut) this.#settling = settling;
    this.#offered = new Set();
    return false;
  }
}
