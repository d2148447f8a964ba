import type { SliceLimits } from "../../dumps/dump-slice.js";
import type { Database } from "../../store/database/database.js";
import type { DeskLimits, DeskWords } from "../work-desk.js";

/** Limits on the dumps that a server sends. Each has a connection to the database, and takes up to about 100 MB. */
export interface DumpLimits extends DeskLimits {
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

/** How refusals speak of dumps. */
export const dumpWords: DeskWords = {
  does: (most) => `sends at most ${most} ${most === 1 ? "dump" : "dumps"}`,
  other: "the other",
  retryAfter: 10,
};
