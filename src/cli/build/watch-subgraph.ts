import { join } from "node:path";
import { startAsc } from "../../node/asc.js";
import { createNodeHost } from "../../node/host.js";
import { createFileWatcher } from "../../node/watch.js";
import { announce, time } from "../compile/watch-config.js";
import { watchingHost } from "../named/watching-host.js";
import { count } from "../terminal/count.js";
import { exitCodes } from "../terminal/exit-codes.js";
import type { Terminal } from "../terminal/terminal.js";
import { type BuildTask, buildOnce } from "./build-once.js";

/** Builds a subgraph, and again whenever one of its files changes, until interrupted; returns the exit code. */
export async function watchSubgraph(task: BuildTask, terminal: Terminal): Promise<number> {
  const asc = terminal.asc ?? startAsc();
  const watcher = createFileWatcher(terminal.signal);
  try {
    for (let changed: readonly string[] = []; ; ) {
      announce(changed, terminal);
      const read = new Set<string>();
      const host = watchingHost(createNodeHost({ cwd: terminal.cwd }), watcher, read, terminal.cwd);
      await buildOnce(task, host, asc, terminal, (written) => {
        // What this build wrote is no change.
        for (const path of read)
          if (written.some((own) => path === own || path.startsWith(join(own, "/")))) watcher.note(path);
      });
      terminal.err(`[${time()}] watching ${count(read.size, "file")}\n`);
      changed = await watcher.change();
      if (terminal.signal.aborted) return exitCodes.interrupted;
    }
  } finally {
    if (asc !== terminal.asc) await asc.close();
  }
}
