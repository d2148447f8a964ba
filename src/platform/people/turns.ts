import { Problem } from "../problem.js";

/** Whose work it is that waits for its turn. */
export interface Turn {
  /** Of the network: clients wait beside each other, so that the many of one do not hold up the one of another. */
  readonly client: string;
  /** Whether the client is known to be somebody's, who goes before those who are not. */
  readonly isKnown?: boolean;
}

/** How much work is done at once, and how much waits for it. */
export interface TurnLimits {
  readonly atOnce: number;
  /** Of clients that are known, and as much again of those that are not. */
  readonly waiting: number;
  /** Of one client. */
  readonly waitingOfOne: number;
}

/** Does work in turn. @throws Problem `unavailable` when too much waits already */
export type InTurn = <Result>(turn: Turn, work: () => Promise<Result>) => Promise<Result>;

/** Bounds work: known clients go first, and those of one kind one after the other. */
export function createTurns(limits: TurnLimits): InTurn {
  const known = new Line(limits);
  const unknown = new Line(limits);
  let running = 0;
  const goOn = (): void => {
    const begin = known.next() ?? unknown.next();
    // Whoever comes next takes the place as it is.
    if (begin) begin();
    else running -= 1;
  };
  return async ({ client, isKnown = false }, work) => {
    if (running < limits.atOnce) running += 1;
    else await (isKnown ? known : unknown).wait(client);
    try {
      return await work();
    } finally {
      goOn();
    }
  };
}

/** Clients that wait: each time another one's turn comes. */
class Line {
  readonly #limits: TurnLimits;
  readonly #clients = new Map<string, (() => void)[]>();
  #length = 0;

  constructor(limits: TurnLimits) {
    this.#limits = limits;
  }

  /** Waits for a turn. @throws Problem */
  wait(client: string): Promise<void> {
    const own = this.#clients.get(client) ?? [];
    if (this.#length >= this.#limits.waiting || own.length >= this.#limits.waitingOfOne) {
      throw new Problem("unavailable", "Too many people sign in at this moment; try again.", {
        retryAfter: 5,
      });
    }
    this.#length += 1;
    this.#clients.set(client, own);
    return new Promise((resolve) => own.push(resolve));
  }

  /** What begins the work whose turn it is. */
  next(): (() => void) | undefined {
    const [first] = this.#clients;
    if (!first) return undefined;
    const [client, own] = first;
    const begin = own.shift();
    this.#length -= 1;
    this.#clients.delete(client);
    if (own.length > 0) this.#clients.set(client, own);
    return begin;
  }
}
