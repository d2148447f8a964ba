import { inspectPath } from "./inspect-path.js";
import { readRecord, sha256 } from "./record.js";
import { RECORD_FOLDER, unsafePath } from "./safe-path.js";

/** A fully prepared change of a target: what to do with the staged files. */
export interface Journal {
  /** The staging folder, inside `.graphloom`. */
  readonly staging: string;
  /** New folders, parents first. */
  readonly folders: readonly string[];
  /** Files to put in place. */
  readonly puts: readonly Put[];
  /** Paths to remove. */
  readonly removals: readonly Slot[];
  /**
   * Unchanged manifests, which are moved away during the change, so that no tool takes the target for a
   * project meanwhile.
   */
  readonly standing: readonly Slot[];
}

/** A path that changes, and the number of its file in the staging folder. */
export interface Slot {
  readonly slot: number;
  readonly path: string;
}

/** A file to put in place; it is staged as `new-<slot>`. */
export interface Put extends Slot {
  /** SHA-256 in hex of the file that is replaced; absent when there is none. */
  readonly before?: string | undefined;
  /** SHA-256 in hex of the new file. */
  readonly after: string;
}

/** Name of the journal's file inside `.graphloom`. */
export const JOURNAL = "journal.json";

/** Names of staging folders. */
export const stagingName = /^staging-[0-9a-f]{8}$/;

/** Numbers paths. */
export function slots(paths: readonly string[]): readonly Slot[] {
  return paths.map((path, slot) => ({ slot, path }));
}

/**
 * Whether a target has a committed change that is not completed: its files may be partly old and partly new.
 * Read-only. False where that cannot be determined.
 */
export function hasPendingChange(target: string): boolean {
  try {
    return readJournal(target) !== undefined;
  } catch {
    return false;
  }
}

/**
 * Reads the journal of a target; `undefined` without a valid one.
 * @throws the file system's error when it cannot be read
 */
export function readJournal(target: string): Journal | undefined {
  const held = inspectPath(target, `${RECORD_FOLDER}/${JOURNAL}`);
  if (held.kind !== "file") return undefined;
  try {
    const { staging, folders, puts, removals, standing } = JSON.parse(`${held.content}`) as Journal;
    const all = [...puts, ...removals, ...standing];
    const isOurs =
      stagingName.test(staging) &&
      inspectPath(target, `${RECORD_FOLDER}/${staging}/record`).kind !== "link" &&
      all.every(({ slot, path }) => Number.isSafeInteger(slot) && unsafePath(path) === undefined) &&
      folders.every((folder) => unsafePath(folder) === undefined);
    return isOurs ? { staging, folders, puts, removals, standing } : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The trustworthy part of a journal that was found. It may be forged, or the user may have changed files
 * since: a file is only replaced when both its content and the new one have the hashes in the journal, and
 * only removed when it has the hash in the record.
 */
export function believable(target: string, journal: Journal): Journal {
  const { staging, puts, removals, standing } = journal;
  const record = readRecord(target);
  const hashAt = (path: string): string | undefined => hashOf(target, path);
  return {
    staging,
    // Folders are created with their files.
    folders: [],
    puts: puts.filter(({ slot, path, before, after }) => {
      const hash = hashAt(path);
      const isStaged = hashAt(`${RECORD_FOLDER}/${staging}/new-${slot}`) === after;
      return isStaged && (hash === "nothing" || (hash !== undefined && hash === before));
    }),
    removals: removals.filter(({ path }) => {
      const hash = hashAt(path);
      return hash === "nothing" || (hash !== undefined && hash === record.get(path));
    }),
    standing: standing.filter(({ path }) => {
      const { kind } = inspectPath(target, path);
      return kind === "nothing" || kind === "file";
    }),
  };
}

/** SHA-256 of a file in hex, or that it does not exist; `undefined` for anything else. */
function hashOf(target: string, path: string): string | undefined {
  const held = inspectPath(target, path);
  if (held.kind === "nothing") return "nothing";
  return held.kind === "file" ? sha256(held.content) : undefined;
}
