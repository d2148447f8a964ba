import { type LockView, ownSession } from "./lease-locks.js";

/** A deployment that this server should index. */
export interface WantedShare {
  readonly deployment: string;
  readonly network: string;
}

/**
 * The number of consecutive checks for which a free deployment is left to the others. Then any server may take it.
 */
const patience = 3;
/** A server that has too many for this many consecutive checks gives some to the others. */
const settling = 3;
/** The limit of `settling`, which doubles each time the others do not take an offer. */
const longestSettling = 200;
/** An offer fails if no server takes it within this many checks. */
const longestOffer = 10;
/** The maximum number given at once, because they pause until another server continues them. */
const mostAtOnce = 8;

/**
 * Divides a network's deployments among the servers that have a node for it. Each server decides from its own view.
 * Checks serve as the unit of time.
 * @param wanted the deployments that any server should index now
 */
export class Shares {
  readonly #wanted: () => readonly WantedShare[];
  /** The held deployments with their networks, oldest first. */
  readonly #held = new Map<string, string>();
  readonly #leaving = new Set<string>();
  /** The number of consecutive checks for which a deployment was free. */
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
   * Whether this server should take a free deployment.
   * @param isAwaited whether a user waits for it; then the first server to hear about the deployment takes it
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

  /** Records a check. @returns the free deployments that this server should take */
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

  /**
   * Call once after each check.
   * @returns the deployments to give to other servers, which count as leaving from now on
   */
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

/** Tracks when a server has given, and should give, deployments of one network to others. */
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

  /** This server took the deployment back, because no other server wanted it. */
  took(deployment: string): void {
    if (!this.#offered.has(deployment)) return;
    this.#offered = new Set();
    this.#settling = Math.min(2 * this.#settling, longestSettling);
  }

  /**
   * How many deployments to hand over, after a check.
   * @param own how many this server has
   * @param others how many each of the others has
   * @param isOut whether an offered one is still waiting for another server
   */
  weigh(own: number, others: readonly number[], isOut: (deployment: string) => boolean): number {
    if (this.#isWaiting(isOut)) return 0;
    const spare = others.length === 0 ? 0 : Math.floor((own - Math.min(...others)) / 2);
    this.#unevenFor = spare > 0 ? this.#unevenFor + 1 : 0;
    if (this.#unevenFor < this.#settling) return 0;
    this.#unevenFor = 0;
    // One is enough to test whether the others accept offers again.
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
