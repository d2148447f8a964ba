import type { Diagnostic } from "../../compiler/diagnostics/diagnostic.js";
import { counted, reportDiagnostics } from "../compile/report-diagnostics.js";
import type { Terminal } from "../terminal/terminal.js";
import type { ReportArguments } from "../terminal/usage/options.js";
import type { Named } from "./find-named.js";
import { type LoadOptions, loadNamed } from "./load-named.js";
import { orSay } from "./load-or-say.js";
import type { NamedBuilds } from "./named-builds.js";
import { watchFiles } from "./watch-files.js";

export interface WatchedSubgraph {
  readonly named: Named;
  readonly options: LoadOptions;
  readonly reporting: ReportArguments;
  /** Called with the diagnostics after every load. */
  readonly onChecked?: (diagnostics: readonly Diagnostic[]) => void;
}

/**
 * Loads a subgraph, and again whenever one of its files changes, until interrupted. The compiler stays loaded.
 * Missing files and files that are not builds are watched too.
 * @param onLoaded called with the builds of every load without errors
 * @returns the exit code
 * @throws UsageError for options that do not fit the subgraph
 */
export async function watchNamed(
  { named, options, reporting, onChecked }: WatchedSubgraph,
  terminal: Terminal,
  onLoaded: (found: NamedBuilds) => Promise<unknown>,
): Promise<number> {
  return watchFiles(terminal, async ({ host, asc, read }) => {
    const loaded = await orSay(terminal, () => loadNamed(named, options, terminal, { host, asc }));
    if (terminal.signal.aborted) return undefined;
    // A subgraph from a server has no files that could change.
    if (typeof loaded === "number") return read.size === 0 ? loaded : undefined;
    onChecked?.(loaded.diagnostics);
    reportDiagnostics(loaded.diagnostics, reporting, terminal);
    if (loaded.found) await onLoaded(loaded.found);
    return `${counted(loaded.diagnostics) || "no errors"}; `;
  });
}
