import { join } from "node:path";
import { watchFiles } from "../named/watch-files.js";
import type { Terminal } from "../terminal/terminal.js";
import { type BuildTask, buildOnce } from "./build-once.js";

/** Builds a subgraph, and again whenever one of its files changes, until interrupted; returns the exit code. */
export async function watchSubgraph(task: BuildTask, terminal: Terminal): Promise<number> {
  return watchFiles(terminal, async ({ host, asc, read, settle }) => {
    await buildOnce(task, host, asc, terminal, (written) => {
      // A file that this build wrote is not a change.
      for (const path of read)
        if (written.some((own) => path === own || path.startsWith(join(own, "/")))) settle(path);
    });
    return "";
  });
}
