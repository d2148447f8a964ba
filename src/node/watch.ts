import { type FSWatcher, statSync, watch } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** Waits for files to change. */
export interface FileWatcher {
  /**
   * Takes a file in as it is now: to be called before it is read, so that no change is missed. It need not be there.
   * @param path absolute
   */
  note(path: string): void;
  /**
   * Waits until a noted file is other than it was noted, and nothing has changed for a moment.
   * @returns the files, in the order noted; all are to be noted again. Empty when the signal was aborted
   */
  change(): Promise<readonly string[]>;
}

/** Milliseconds without a change, after one: editors write in several steps. */
const rest = 20;
/** Milliseconds between two looks where the file system tells nothing, as over a network. */
const interval = 1_000;

/** Watches files until the signal is aborted. */
export function createFileWatcher(signal: AbortSignal): FileWatcher {
  const noted = new Map<string, string>();
  return {
    note(path) {
      noted.set(path, stateOf(path));
    },
    async change() {
      const paths = [...noted.keys()];
      await someChange(noted, signal);
      for (let states = paths.map(stateOf).join(); !signal.aborted; ) {
        await pause(rest, signal);
        const now = paths.map(stateOf).join();
        if (now === states) break;
        states = now;
      }
      const changed = signal.aborted ? [] : paths.filter((path) => stateOf(path) !== noted.get(path));
      noted.clear();
      return changed;
    },
  };
}

/** Folders tell of changes, since files are replaced as often as they are written; now and then all are looked at. */
async function someChange(noted: ReadonlyMap<string, string>, signal: AbortSignal): Promise<void> {
  const watchers: FSWatcher[] = [];
  const isChanged = (): boolean => [...noted].some(([path, state]) => stateOf(path) !== state);
  await new Promise<void>((resolve) => {
    const look = (): void => {
      if (signal.aborted || isChanged()) resolve();
    };
    signal.addEventListener("abort", look);
    const timer = setInterval(look, interval);
    for (const folder of new Set([...noted.keys()].map(dirname))) {
      const watcher = watchFolder(folder, look);
      if (watcher) watchers.push(watcher);
    }
    look();
    watchers.push({ close: () => clearInterval(timer) } as FSWatcher);
    watchers.push({ close: () => signal.removeEventListener("abort", look) } as FSWatcher);
  });
  for (const watcher of watchers) watcher.close();
}

/** Nothing where the folder is not there or the system watches no more: then looking now and then has to do. */
function watchFolder(folder: string, look: () => void): FSWatcher | undefined {
  try {
    return watch(folder, look).on("error", () => undefined);
  } catch (error) {
    if (error instanceof Error && "code" in error) return undefined;
    throw error;
  }
}

/** Differs when the file does, as far as its folder entry tells. */
function stateOf(path: string): string {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    return stats ? `${stats.ino} ${stats.size} ${stats.mtimeMs} ${stats.mode}` : "missing";
  } catch (error) {
    // A folder on the way that cannot be entered, or is no folder.
    return error instanceof Error && "code" in error ? String(error.code) : "unknown";
  }
}

async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  await sleep(milliseconds, undefined, { signal }).catch(() => undefined);
}
