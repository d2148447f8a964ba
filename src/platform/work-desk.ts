import { Problem } from "./problem.js";

/** How much work of one kind may run at the same time. */
export interface DeskLimits {
  /** For each project, and for each key or person. */
  readonly perCaller: number;
  /** For the whole server. */
  readonly total: number;
}

/** For whom work runs. */
export interface DeskCaller {
  readonly project: string;
  /** The caller's key or person. */
  readonly id: string;
}

/** How refusals speak of the work. */
export interface DeskWords {
  /** What the server does at most so many times, such as "sends at most 2 dumps". */
  does(most: number): string;
  /** What a caller can wait for, such as "the other". */
  readonly other: string;
  /** Seconds after which a refused client may try again. */
  readonly retryAfter: number;
}

/** Lets some work run, and refuses the rest: a queue would only hide how long it waits. */
export class WorkDesk {
  readonly #limits: DeskLimits;
  readonly #words: DeskWords;
  readonly #running = new Map<string, number>();
  #total = 0;

  constructor(limits: DeskLimits, words: DeskWords) {
    this.#limits = limits;
    this.#words = words;
  }

  /** Takes a place. @returns a function that frees it @throws Problem `rate-limited`, `unavailable` */
  take({ project, id }: DeskCaller): () => void {
    const { perCaller, total } = this.#limits;
    const { other, retryAfter } = this.#words;
    const names = [`project ${project}`, `caller ${id}`];
    if (names.some((name) => (this.#running.get(name) ?? 0) >= perCaller))
      throw new Problem(
        "rate-limited",
        `The server ${this.#words.does(perCaller)} at a time for one project or person. Wait for ${other}, then try again.`,
        { retryAfter },
      );
    if (this.#total >= total)
      throw new Problem("unavailable", `The server ${this.#words.does(total)} at a time. Try again later.`, {
        retryAfter,
      });
    this.#count(names, 1);
    let isTaken = true;
    return () => {
      if (isTaken) this.#count(names, -1);
      isTaken = false;
    };
  }

  /** Runs work in a place of a caller. @throws Problem `rate-limited`, `unavailable`; errors of the work */
  async run<Result>(caller: DeskCaller, work: () => Promise<Result>): Promise<Result> {
    const free = this.take(caller);
    try {
      return await work();
    } finally {
      free();
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
