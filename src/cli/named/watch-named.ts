import type { Asc } from "../../compiler/asc/asc.js";
import type { Diagnostic } from "../../compiler/diagnostics/diagnostic.js";
import { startAsc } from "../../node/asc.js";
import { createNodeHost } from "../../node/host.js";
import { createFileWatcher } from "../../node/watch.js";
import { counted, reportDiagnostics } from "../compile/report-diagnostics.js";
import { announce, time } from "../compile/watch-config.js";
import { count } from "../terminal/count.js";
import { exitCodes } from "../terminal/exit-codes.js";
import type { ReportArguments } from "../terminal/options.js";
import type { Terminal } from "../terminal/terminal.js";
import type { Named } from "./find-named.js";
import { type LoadOptions, loadNamed } from "./load-named.js";
import { orSay } from "./load-or-say.js";
import type { NamedBuilds } from "./named-builds.js";
import { watchingHost } from "./watching-host.js";

/** A subgraph to watch. */
export interface WatchedSubgraph {
  readonly named: Named;
  readonly options: LoadOptions;
  readonly reporting: ReportArguments;
  /** Called with the diagnostics after every load. */
  readonly onChecked?: (diagnostics: readonly Diagnostic[]) => void;
}

/**
 * Loads a subgraph, and again whenever one of its files changes, until interrupted. The compiler
 * stays loaded. Files that are missing or no build are watched too.
 * @param onLoaded called with the builds of every load without errors
 * @returns the exit code
 * @throws UsageError for options that the subgraph does not take
 */
export async function watchNamed(
  { named, options, reporting, onChecked }: WatchedSubgraph,
  terminal: Terminal,
  onLoaded: (found: NamedBuilds) => Promise<unknown>,
): Promise<number> {
  const asc: Asc = terminal.asc ?? startAsc();
  const watcher = createFileWatcher(terminal.signal);
  try {
    for (let changed: readonly string[] = []; ; ) {
      announce(changed, terminal);
      const read = new Set<string>();
      const host = watchingHost(createNodeHost({ cwd: terminal.cwd }), watcher, read, terminal.cwd);
      const loaded = await orSay(terminal, () => loadNamed(named, options, terminal, { host, asc }));
      if (terminal.signal.aborted) return exitCodes.interrupted;
      // What comes from a server has no files that could change.
      if (typeof loaded === "number" && read.size === 0) return loaded;
      if (typeof loaded !== "number") {
        onChecked?.(loaded.diagnostics);
        reportDiagnostics(loaded.diagnostics, reporting, terminal);
        if (loaded.found) await onLoaded(loaded.found);
        const said = counted(loaded.diagnostics) || "no errors";
        terminal.err(`[${time()}] ${said}; watching ${count(read.size, "file")}\n`);
      }
      changed = await watcher.change();
      if (terminal.signal.aborted) return exitCodes.interrupted;
    }
  } finally {
    if (asc !== terminal.asc) await asc.close();
  }
}
