import { inspectPath } from "./inspect-path.js";
import { readRecord, sha256 } from "./record.js";
import { RECORD_FOLDER, unsafePath } from "./safe-path.js";

/** A fully prepared change to a target: what happens to the staged files. */
export interface Journal {
  /** The staging folder, inside `.graphloom`. */
  readonly staging: string;
  readonly folders: readonly string[];
  readonly puts: readonly Put[];
  readonly removals: readonly Slot[];
  /**
   * Unchanged manifests. They are moved away during the change, so that no tool mistakes the target for a project.
   */
  readonly standing: readonly Slot[];
}

/** A path that changes, and its file's number in the staging folder (its slot). */
export interface Slot {
  readonly slot: number;
  readonly path: string;
}

/** A file to put in place, staged as `new-<slot>`. */
export interface Put extends Slot {
  /** SHA-256 of the file to replace, as hex; absent if there is none. */
  readonly before?: string | undefined;
  /** SHA-256 of the new file, as hex. */
  readonly after: string;
}

/** Name of the journal's file inside `.graphloom`. */
export const JOURNAL = "journal.json";

/** Pattern of staging folders' names. */
export const stagingName = /^staging-[0-9a-f]{8}$/;

export function slots(paths: readonly string[]): readonly Slot[] {
  return paths.map((path, slot) => ({ slot, path }));
}

/**
 * Whether a target has a committed but incomplete change, so that some of its files may be old and some new.
 * Read-only. False if that is unknown.
 */
export function hasPendingChange(target: string): boolean {
  try {
    return readJournal(target) !== undefined;
  } catch {
    return false;
  }
}

/**
 * Reads the journal of a target; `undefined` if there is no valid one.
 * @throws the file system's error if it cannot be read
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
 * The trustworthy part of a journal. It may be forged, or the user may have changed files since. A file is replaced
 * only if its old and new content match the journal's hashes, and removed only if it matches the record's hash.
 */
export function believable(target: string, journal: Journal): Journal {
  const { staging, puts, removals, standing } = journal;
  const record = readRecord(target);
  const hashAt = (path: string): string | undefined => hashOf(target, path);
  return {
    staging,
    // Folders are created along with their files.
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

/** SHA-256 of a file, as hex, or `"nothing"` if there is no file; `undefined` for anything else. */
function hashOf(target: string, path: string): string | undefined {
  const held = inspectPath(target, path);
  if (held.kind === "nothing") return "nothing";
  return held.kind === "file" ? sha256(held.content) : undefined;
}
