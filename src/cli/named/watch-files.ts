import { resolve } from "node:path";
import type { Asc } from "../../compiler/asc/asc.js";
import type { Host } from "../../compiler/host.js";
import { startAscPool } from "../../machine/compiler/asc-pool.js";
import { createNodeHost } from "../../machine/files/host.js";
import { createFileWatcher, type FileWatcher } from "../../machine/files/watch.js";
import { announce, time } from "../compile/watch-config.js";
import { count } from "../terminal/count.js";
import { exitCodes } from "../terminal/exit-codes.js";
import type { Terminal } from "../terminal/terminal.js";

export interface Round {
  /** Watches the files that it reads, except those of packages. */
  readonly host: Host;
  /** The compiler, which stays loaded between rounds. */
  readonly asc: Asc;
  /** The absolute paths of the files that the host has read in this round. */
  readonly read: ReadonlySet<string>;
  /** Accepts the current state of a file or folder: its last change starts no round, and the next one does. */
  readonly settle: (path: string) => void;
}

/**
 * Does something with files, and again whenever one of the files that it read changes, until interrupted.
 * @param work does it once. It returns the exit code to end with, or a text before the number of watched files, or
 *   `undefined` for no text.
 * @returns the exit code
 * @throws errors of the work
 */
export async function watchFiles(
  terminal: Terminal,
  work: (round: Round) => Promise<number | string | undefined>,
): Promise<number> {
  const asc = terminal.asc ?? startAscPool();
  const watcher = createFileWatcher(terminal.signal);
  const settle = (path: string): void => watcher.note(path);
  try {
    for (let changed: readonly string[] = []; ; ) {
      announce(changed, terminal);
      const read = new Set<string>();
      const host = watchingHost(createNodeHost({ cwd: terminal.cwd }), watcher, read, terminal.cwd);
      const said = await work({ host, asc, read, settle });
      if (terminal.signal.aborted) return exitCodes.interrupted;
      if (typeof said === "number") return said;
      if (said !== undefined) terminal.err(`[${time()}] ${said}watching ${count(read.size, "file")}\n`);
      changed = await watcher.change();
      if (terminal.signal.aborted) return exitCodes.interrupted;
    }
  } finally {
    if (asc !== terminal.asc) await asc.close();
  }
}

/** @param read receives absolute paths */
function watchingHost(host: Host, watcher: FileWatcher, read: Set<string>, cwd: string): Host {
  return {
    ...host,
    readFile(path, limit) {
      const absolute = resolve(cwd, path);
      if (!absolute.includes("/node_modules/")) {
        read.add(absolute);
        watcher.note(absolute);
      }
      return host.readFile(path, limit);
    },
  };
}
