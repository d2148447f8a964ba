import type { SliceLimits } from "../../dumps/dump-slice.js";
import type { Database } from "../../store/database/database.js";
import type { Caller } from "../people/access.js";
import { Problem } from "../problem.js";

/** Limits on the dumps that a server sends. */
export interface DumpLimits {
  /** Dumps under way for each project, and for each key or person. */
  readonly perCaller: number;
  /** For the whole server. Each has a connection to the database, and takes up to about 100 MB. */
  readonly total: number;
  /** Milliseconds that a client may take to read what waits for it. */
  readonly idle: number;
  /** Milliseconds that one answer may take, with counting at its end. */
  readonly longest: number;
  /** Milliseconds between two entries of the audit log for one dump, whose answers are many. */
  readonly notesApart: number;
  /** One answer, by the kind of database. */
  readonly slice: Readonly<Record<Database["provider"], SliceLimits>>;
}

const fileCharacters = 64 * 1024 * 1024;

export const usualDumpLimits: DumpLimits = {
  perCaller: 1,
  total: 2,
  idle: 60_000,
  longest: 1_800_000,
  notesApart: 3_600_000,
  slice: {
    // While a transaction is open, tables cannot be dropped, and rows that are deleted keep their space.
    postgres: { characters: 1024 * 1024 * 1024, time: 120_000, fileCharacters },
    // It has one connection, for which all others wait.
    pglite: { characters: 8 * 1024 * 1024, time: 1_000, fileCharacters },
  },
};

/** Seconds after which a refused client may try again. */
const retryAfter = 10;

/** Counts the dumps under way, and refuses others. */
export class DumpDesk {
  readonly #limits: Pick<DumpLimits, "perCaller" | "total">;
  readonly #running = new Map<string, number>();
  #total = 0;

  constructor(limits: Pick<DumpLimits, "perCaller" | "total">) {
    this.#limits = limits;
  }

  /** Takes a place. @returns a function that frees it @throws Problem `rate-limited`, `unavailable` */
  take({ project, id }: Pick<Caller, "project" | "id">): () => void {
    const { perCaller, total } = this.#limits;
    const names = [`project ${project}`, `caller ${id}`];
    if (names.some((name) => (this.#running.get(name) ?? 0) >= perCaller))
      throw new Problem(
        "rate-limited",
        `The server sends at most ${perCaller} ${perCaller === 1 ? "dump" : "dumps"} at a time for one project or person. Wait for the other, then try again.`,
        { retryAfter },
      );
    if (this.#total >= total)
      throw new Problem(
        "unavailable",
        `The server sends at most ${total} dumps at a time. Try again later.`,
        {
          retryAfter,
        },
      );
    this.#count(names, 1);
    let isTaken = true;
    return () => {
      if (isTaken) this.#count(names, -1);
      isTaken = false;
    };
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
