/** The period, in milliseconds, whose share a client may spend at once. It then earns the share again. */
const span = 10_000;

/** The most clients that are remembered. Beyond this, the least recently active are forgotten. */
const mostClients = 50_000;

/** The debt of a client at a point in time. */
interface Debt {
  readonly milliseconds: number;
  readonly at: number;
}

/** The account that pays for the work of a query. */
export interface Payer {
  /** Milliseconds until the client may use more work; 0 when it may at once. */
  wait(): number;
  /** Charges the client for work. @param milliseconds */
  spend(milliseconds: number): void;
}

/** A payer without a limit. */
export const unboundPayer: Payer = { wait: () => 0, spend: () => undefined };

/**
 * Counts the work done for clients with a token bucket for each, in milliseconds. Work is charged after it is done,
 * because its cost is unknown before. A client whose bucket is empty waits until it has earned more.
 */
export class WorkBudget {
  readonly #share: number;
  readonly #now: () => number;
  /** The most recently active clients are at the end. */
  readonly #debts = new Map<string, Debt>();

  /**
   * @param share the share of the time that the work for one client may take: 0.25 is a quarter
   * @param now milliseconds
   */
  constructor(share: number, now: () => number) {
    this.#share = share;
    this.#now = now;
  }

  /** How many clients are remembered. */
  get size(): number {
    return this.#debts.size;
  }

  /** The payer of one client, by any key that identifies it. */
  of(client: string): Payer {
    return {
      wait: () => this.#wait(client),
      spend: (milliseconds) => this.#spend(client, milliseconds),
    };
  }

  #wait(client: string): number {
    const debt = this.#debts.get(client);
    if (!debt) return 0;
    const left = this.#left(debt) - this.#share * span;
    return left < 0 ? 0 : Math.max(1, Math.ceil(left / this.#share));
  }

  #spend(client: string, milliseconds: number): void {
    if (!(milliseconds > 0)) return;
    const known = this.#debts.get(client);
    const owed = known ? this.#left(known) : 0;
    this.#debts.delete(client);
    this.#forget();
    this.#debts.set(client, { milliseconds: owed + milliseconds, at: this.#now() });
  }

  /** The rest of a debt. A clock that was set back earns nothing. */
  #left({ milliseconds, at }: Debt): number {
    return Math.max(0, milliseconds - Math.max(0, this.#now() - at) * this.#share);
  }

  #forget(): void {
    for (const [client, debt] of this.#debts) {
      if (this.#left(debt) > 0 && this.#debts.size < mostClients) return;
      this.#debts.delete(client);
    }
  }
}
