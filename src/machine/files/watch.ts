import { type FSWatcher, statSync, watch } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { guarded } from "../../base/turns/guarded.js";

export interface FileWatcher {
  /**
   * Records the current state of a file. Call it before reading the file, so that no change is missed. The file may
   * be missing.
   * @param path absolute
   */
  note(path: string): void;
  /**
   * Waits until a noted file has changed, debounced.
   * @returns the changed files, in the order noted; note all files again afterwards. Empty if the signal was
   *   aborted
   */
  change(): Promise<readonly string[]>;
}

/** Debounce time in milliseconds: editors write in several steps. */
const rest = 20;
/** Polling interval in milliseconds, for file systems without change events, such as network ones. */
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

/** Watches folders rather than files, because editors often replace files; polls as a fallback. */
async function someChange(noted: ReadonlyMap<string, string>, signal: AbortSignal): Promise<void> {
  const watchers: FSWatcher[] = [];
  const isChanged = (): boolean => [...noted].some(([path, state]) => stateOf(path) !== state);
  const change = new Promise<void>((resolve, reject) => {
    const look = guarded(() => {
      if (signal.aborted || isChanged()) resolve();
    }, reject);
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
  try {
    await change;
  } finally {
    for (const watcher of watchers) watcher.close();
  }
}

/** `undefined` if the folder does not exist or the system's watch limit is reached; then polling must suffice. */
function watchFolder(folder: string, look: () => void): FSWatcher | undefined {
  try {
    return watch(folder, look).on("error", () => undefined);
  } catch (error) {
    if (error instanceof Error && "code" in error) return undefined;
    throw error;
  }
}

/** The state of a file, from its metadata. */
function stateOf(path: string): string {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    return stats ? `${stats.ino} ${stats.size} ${stats.mtimeMs} ${stats.mode}` : "missing";
  } catch (error) {
    // A parent folder cannot be entered, or is not a folder.
    return error instanceof Error && "code" in error ? String(error.code) : "unknown";
  }
}

async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  await sleep(milliseconds, undefined, { signal }).catch(() => undefined);
}
