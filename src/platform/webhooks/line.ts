import type { Outcome } from "./claims.js";

/** A running attempt. */
export interface Flight {
  /** The start time, in milliseconds. */
  readonly began: number;
}

/** The state of a webhook in a sender that sends its events. Times are in milliseconds. */
export class Line {
  /** The id of its project. */
  readonly project: string;
  readonly #flights = new Set<Flight>();
  /** The time of the last delivery. */
  #deliveredAt = Number.NEGATIVE_INFINITY;
  /** Outcomes that are not written yet, in the order in which the attempts ended. */
  readonly outcomes: Outcome[] = [];
  /** Outcomes written since the oldest events were last deleted. */
  written = 0;

  constructor(project: string) {
    this.project = project;
  }

  get isFlying(): boolean {
    return this.#flights.size > 0;
  }

  begin(now: number): Flight {
    const flight = { began: now };
    this.#flights.add(flight);
    return flight;
  }

  /** @param outcome nothing when there is none to write */
  end(flight: Flight, outcome: Outcome | undefined, now: number): void {
    this.#flights.delete(flight);
    if (!outcome) return;
    const isExcused = outcome.status !== "delivered" && flight.began < this.#deliveredAt;
    if (outcome.status === "delivered") this.#deliveredAt = now;
    this.outcomes.push({ ...outcome, isExcused });
  }

  /**
   * Counts the running attempts: those that hang while the receiver answers others, and all the rest. Hanging attempts
   * do not keep other events from being sent.
   * @param slow the duration from which an attempt counts as hanging
   */
  flying(now: number, slow: number): { readonly hanging: number; readonly others: number } {
    const hanging = [...this.#flights].filter(
      ({ began }) => now - began > slow && began < this.#deliveredAt,
    ).length;
    return { hanging, others: this.#flights.size - hanging };
  }
}
