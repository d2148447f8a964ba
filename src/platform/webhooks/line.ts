import type { Outcome } from "./claims.js";

/** An attempt that goes on. */
export interface Flight {
  /** When, in milliseconds. */
  readonly began: number;
}

/** What a sender knows of a webhook while it sends its events. Times are in milliseconds. */
export class Line {
  readonly #flights = new Set<Flight>();
  /** When an event was delivered last. */
  #deliveredAt = Number.NEGATIVE_INFINITY;
  /** Attempts that ended, and are not written yet, in the order in which they ended. */
  readonly outcomes: Outcome[] = [];
  /** Events that were written since the oldest were forgotten. */
  written = 0;

  get isFlying(): boolean {
    return this.#flights.size > 0;
  }

  begin(now: number): Flight {
    const flight = { began: now };
    this.#flights.add(flight);
    return flight;
  }

  /** @param outcome nothing when there is none to be written */
  end(flight: Flight, outcome: Outcome | undefined, now: number): void {
    this.#flights.delete(flight);
    if (!outcome) return;
    const isExcused = outcome.status !== "delivered" && flight.began < this.#deliveredAt;
    if (outcome.status === "delivered") this.#deliveredAt = now;
    this.outcomes.push({ ...outcome, isExcused });
  }

  /**
   * Attempts that go on: those that hang while the receiver answers others, and all the rest. Who hangs like that keeps
   * nobody else from being sent.
   * @param slow how long an attempt takes that hangs
   */
  flying(now: number, slow: number): { readonly hanging: number; readonly others: number } {
    const hanging = [...this.#flights].filter(
      ({ began }) => now - began > slow && began < this.#deliveredAt,
    ).length;
    return { hanging, others: this.#flights.size - hanging };
  }
}
