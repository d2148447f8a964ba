import type { Caller } from "../../people/access.js";
import { Problem } from "../../problem.js";

/** How many files are made at the same time. */
export interface ExtractionLimits {
  /** For each project, and for each key or person. */
  readonly perCaller: number;
  /** For the whole server. */
  readonly total: number;
}

export const usualLimits: ExtractionLimits = { perCaller: 2, total: 4 };

/** Seconds after which a refused client may try again. */
const retryAfter = 5;

/** Lets a few extractions run, and refuses the others: a queue would only hide how long they wait. */
export class ExtractionDesk {
  readonly #limits: ExtractionLimits;
  readonly #running = new Map<string, number>();
  #total = 0;

  constructor(limits: ExtractionLimits) {
    this.#limits = limits;
  }

  /** Runs work for a caller. @throws Problem `rate-limited` or `unavailable`; errors of the work */
  async run<Result>(
    { project, id }: Pick<Caller, "project" | "id">,
    work: () => Promise<Result>,
  ): Promise<Result> {
    const { perCaller, total } = this.#limits;
    const names = [`project ${project}`, `caller ${id}`];
    if (names.some((name) => (this.#running.get(name) ?? 0) >= perCaller))
      throw new Problem(
        "rate-limited",
        `The server makes at most ${perCaller} files of datasets at a time for one project or person. Wait for one, then try again.`,
        { retryAfter },
      );
    if (this.#total >= total)
      throw new Problem(
        "unavailable",
        `The server makes at most ${total} files of datasets at a time. Try again later.`,
        { retryAfter },
      );
    this.#count(names, 1);
    try {
      return await work();
    } finally {
      this.#count(names, -1);
    }
  }

  #count(names: readonly string[], change: number): void {
    this.#total += change;
    for (const name of names) {
      const count = (this.#running.get(name) ?? 0) + change;
      if (count > 0) this.#running.set(name, count);
      else this.#running.delete(name);
    }
  }
}
