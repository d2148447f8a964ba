import { RoundRobin } from "../../base/round-robin.js";
import { Semaphore } from "../../base/semaphore.js";
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
