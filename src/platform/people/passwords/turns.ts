import { RoundRobin } from "../../../base/turns/round-robin.js";
import { Semaphore } from "../../../base/turns/semaphore.js";
import { Problem } from "../../problem.js";

/** The owner of work that waits for its turn. */
export interface Turn {
  /** A network. Clients take turns, so that many requests of one do not delay a single request of another. */
  readonly client: string;
  /** Whether the client is known from an earlier sign-in; known clients go first. */
  readonly isKnown?: boolean;
}

/** How much work runs at once, and how much may wait. */
export interface TurnLimits {
  readonly atOnce: number;
  /** For known clients; unknown clients have the same number again. */
  readonly waiting: number;
  /** For one client. */
  readonly waitingOfOne: number;
}

/** Semaphore with two round-robin queues: known clients go first, and clients of one kind take turns. */
export function createTurns({ atOnce, waiting, waitingOfOne }: TurnLimits): Semaphore<Turn> {
  const known = new RoundRobin<() => void>();
  const unknown = new RoundRobin<() => void>();
  return new Semaphore<Turn>(atOnce, {
    push(begin, { client, isKnown = false }) {
      const line = isKnown ? known : unknown;
      if (line.size >= waiting || line.sizeOf(client) >= waitingOfOne) {
        throw new Problem(
          "unavailable",
          "Too many people are signing in right now. Try again in a few seconds.",
          {
            retryAfter: 5,
          },
        );
      }
      line.push(client, begin);
    },
    shift: () => known.shift() ?? unknown.shift(),
  });
}
