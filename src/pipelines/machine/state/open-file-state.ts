import { createHash } from "node:crypto";
import { dirname, join } from "node:path";
import { lockFile, NoLocksError } from "../../../base/lock-file.js";
import { visible } from "../../../base/text/visible.js";
import { makeFolders } from "../../../compiler/write/make-folders.js";
import { StrangeRecord } from "../../state/log-records.js";
import { openLog, type StateLog, stateInLog } from "../../state/log-store.js";
import { otherRun } from "../../state/other-run.js";
import { SinkError } from "../../state/sink-error.js";
import type { ReadStateOwner, StateOwner, StateReading, StateStore } from "../../state/state-store.js";
import { Journal, JournalDamaged } from "./journal.js";

/**
 * Opens the state of a sink in a file, which is created if it does not exist.
 * @param folder absolute; the folder of all states
 * @param least the least number of its next changes: see `leastNumber`
 * @throws SinkError if another process has it open, or if it cannot be read
 */
export async function openFileState(folder: string, owner: StateOwner, least = 0): Promise<StateStore> {
  const path = statePath(folder, owner);
  const release = await lock(path, owner);
  try {
    return await open(path, owner, release, least);
  } catch (error) {
    release();
    throw unreadableState(path, error);
  }
}

/**
 * Reads the state of a sink. Another process may have it open.
 * @returns `undefined` if there is none
 * @throws SinkError if it cannot be read
 */
export async function readFileState(
  folder: string,
  owner: ReadStateOwner,
): Promise<StateReading | undefined> {
  const path = statePath(folder, owner);
  try {
    const records = await Journal.read(path);
    return records && stateInLog(records, owner, startingOver(path));
  } catch (error) {
    throw unreadableState(path, error);
  }
}

/** The file of a state: `<flow>/<sink>-<hash of the target>.journal`. */
function statePath(folder: string, { flow, sink, target }: Omit<StateOwner, "columns">): string {
  // A sink may have any name, and names that differ in case may be one for the file system.
  const hash = createHash("sha256")
    .update(JSON.stringify([sink, target]))
    .digest("hex")
    .slice(0, 16);
  const shown = sink
    .toLowerCase()
    .replaceAll(/[^a-z0-9_-]+/g, "-")
    .slice(0, 60);
  return join(folder, flow, `${shown}-${hash}.journal`);
}

/** @returns a function that releases the lock */
async function lock(path: string, owner: StateOwner): Promise<() => void> {
  makeFolders(dirname(path));
  try {
    const result = lockFile(`${path}.lock`);
    if (result.kind === "ours") return result.release;
    throw otherRun(owner, result.holder, "Stop one of them, or give the pipeline another name.");
  } catch (error) {
    if (error instanceof NoLocksError) throw new SinkError(error.message, false, { cause: error });
    throw error;
  }
}

async function open(
  path: string,
  owner: StateOwner,
  release: () => void,
  least: number,
): Promise<StateStore> {
  const found = await Journal.open(path);
  const log = {
    records: found?.records,
    restart: startingOver(path),
    open: async (first: readonly object[]) =>
      inFile(found?.journal ?? (await Journal.create(path, first)), release),
  };
  try {
    return await openLog(owner, log, least);
  } catch (error) {
    await found?.journal.close();
    throw error;
  }
}

function startingOver(path: string): string {
  return `remove ${visible(path)} to start over`;
}

/** Converts the error of a file that is not a state of the sink. Returns other errors unchanged. */
function unreadableState(path: string, error: unknown): unknown {
  if (!(error instanceof JournalDamaged || error instanceof StrangeRecord)) return error;
  const why = error instanceof JournalDamaged ? `: ${error.message}` : "";
  return new SinkError(
    `The saved state of the sink in ${visible(path)} cannot be read${why}. Restore the file from a backup, or remove it to start over.`,
    false,
    { cause: error },
  );
}

/** A smaller file is never rewritten. */
const leastBytes = 4 * 1024 * 1024;

/** Makes a file the journal of a state. @param release releases its lock */
function inFile(journal: Journal, release: () => void): StateLog {
  return {
    get size() {
      return journal.bytes;
    },
    leastLong: leastBytes,
    add: (records) => journal.add(records),
    sync: () => journal.sync(),
    replace: (records) => journal.replace(records),
    async close() {
      await journal.close();
      release();
    },
  };
}
