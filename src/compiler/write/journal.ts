import { inspectPath } from "./inspect-path.js";
import { readRecord, sha256 } from "./record.js";
import { RECORD_FOLDER, unsafePath } from "./safe-path.js";

/** A change of a target that is fully prepared: what to do with the staged files. */
export interface Journal {
  /** The folder of the staged files, inside `.graphloom`. */
  readonly staging: string;
  /** New folders, outer before inner. */
  readonly folders: readonly string[];
  /** Files to be put in their places. */
  readonly puts: readonly Put[];
  /** Paths to take away. */
  readonly removals: readonly Slot[];
  /** Manifests that stay, and are away while others change: a project without one is taken for a project by nobody. */
  readonly standing: readonly Slot[];
}

/** A path that changes, and by which number its file is found in the staging folder. */
export interface Slot {
  readonly slot: number;
  readonly path: string;
}

/** A file to be put in its place; it is staged as `new-<slot>`. */
export interface Put extends Slot {
  /** SHA-256 in hex of what is there before; nothing when there is no file. */
  readonly before?: string | undefined;
  /** SHA-256 in hex of what is put there. */
  readonly after: string;
}

/** The name of the file inside `.graphloom`. */
export const JOURNAL = "journal.json";

/** What the folder of a change that is being prepared is called. */
export const stagingName = /^staging-[0-9a-f]{8}$/;

/** Numbers paths. */
export function slots(paths: readonly string[]): readonly Slot[] {
  return paths.map((path, slot) => ({ slot, path }));
}

/**
 * Whether a change of a target has been begun and not completed: some of its files may be those of before, and some
 * those of after. Changes nothing. Where that cannot be looked up, there is none.
 */
export function hasPendingChange(target: string): boolean {
  try {
    return readJournal(target) !== undefined;
  } catch {
    return false;
  }
}

/**
 * The journal of a target, if there is one of ours.
 * @throws the error of the file system when it cannot be read
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
 * What of a journal that was found is beyond doubt. It may be forged, or the user may have changed files since: a file
 * is only replaced when it is what the journal says that it replaces, by what it says, and only removed when it is as
 * the record says that it was generated.
 */
export function believable(target: string, journal: Journal): Journal {
  const { staging, puts, removals, standing } = journal;
  const record = readRecord(target);
  const hashAt = (path: string): string | undefined => hashOf(target, path);
  return {
    staging,
    // They are made with the files.
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

/** The SHA-256 of a file in hex, or that there is nothing; undefined for what is neither. */
function hashOf(target: string, path: string): string | undefined {
  const held = inspectPath(target, path);
  if (held.kind === "nothing") return "nothing";
  return held.kind === "file" ? sha256(held.content) : undefined;
}
