/** Milliseconds over which a client may spend its share at any time: it can be spent at once, and is earned again. */
const span = 10_000;

/** Clients that are remembered; the ones that worked longest ago are forgotten beyond. */
const mostClients = 50_000;

/** What a client owes, as of a time. */
interface Debt {
  readonly milliseconds: number;
  readonly at: number;
}

/** Who pays for the work that a query makes. */
export interface Payer {
  /** Milliseconds until the client may have more work done; 0 when it may at once. */
  wait(): number;
  /** Notes work that was done for the client. @param milliseconds */
  spend(milliseconds: number): void;
}

/** Pays without ever running out. */
export const unboundPayer: Payer = { wait: () => 0, spend: () => undefined };

/**
 * Counts the work that is done for clients: a token bucket for each, in milliseconds. Work is paid for once it is done,
 * since nobody knows before how much it is; a client whose bucket is empty waits until it has earned its work again.
 */
export class WorkBudget {
  readonly #share: number;
  readonly #now: () => number;
  /** Those that worked last at the end. */
  readonly #debts = new Map<string, Debt>();

  /**
   * @param share of the time that the work for one client may take: 0.25 is a quarter
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

  /** What one client has, by whatever it is known. */
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

  /** What is still owed of a debt. A clock that was put back earns nothing. */
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
