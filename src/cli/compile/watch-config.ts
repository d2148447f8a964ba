import { resolve } from "node:path";
import { visible } from "../../base/text/visible.js";
import type { Asc } from "../../compiler/asc/asc.js";
import type { WasmOptions } from "../../compiler/compilation.js";
import type { Diagnostic } from "../../compiler/diagnostics/diagnostic.js";
import type { Host } from "../../compiler/host.js";
import { startAsc } from "../../machine/compiler/asc.js";
import { createNodeHost } from "../../machine/files/host.js";
import { noteReads } from "../../machine/files/noted-host.js";
import { createFileWatcher, type FileWatcher } from "../../machine/files/watch.js";
import { count } from "../terminal/count.js";
import { exitCodes } from "../terminal/exit-codes.js";
import type { Terminal } from "../terminal/terminal.js";
import type { CacheArguments, ReportArguments } from "../terminal/usage/options.js";
import { UsageError } from "../terminal/usage/usage-error.js";
import { type CompiledProject, compileConfig, projectOf } from "./compile-project.js";
import { counted, reportDiagnostics } from "./report-diagnostics.js";

/** A configuration to watch. */
export interface WatchedConfig {
  /** The path as written on the command line. */
  readonly config: string;
  /** Whether to build the WASM. */
  readonly withWasm: boolean;
  readonly options: WasmOptions;
  readonly reporting: ReportArguments;
  readonly caching: CacheArguments;
  /** Called with the diagnostics after every check. */
  readonly onChecked?: (diagnostics: readonly Diagnostic[]) => void;
}

const clearScreen = "\u001b[2J\u001b[3J\u001b[H";

/**
 * Compiles a configuration, and again whenever it or a file that it names changes, until interrupted. Compiler and pipeline
 * stay loaded. A configuration that cannot be read is watched too.
 * @param onCompiled called with every project that has no errors, and with the compiler that stays loaded
 * @returns the exit code
 */
export async function watchConfig(
  { config, withWasm, options, reporting, caching, onChecked }: WatchedConfig,
  terminal: Terminal,
  onCompiled: (project: CompiledProject, asc: Asc) => Promise<unknown>,
): Promise<number> {
  if (config === "-") throw new UsageError("--watch requires a file: standard input does not change.");
  const asc = terminal.asc ?? startAsc();
  const watcher = createFileWatcher(terminal.signal);
  const host = notingHost(createNodeHost({ cwd: terminal.cwd }), watcher, terminal.cwd);
  asc.prepare(await host.packageSources("@graphprotocol/graph-ts"));
  try {
    for (let changed: readonly string[] = []; ; ) {
      announce(changed, terminal);
      const read = noteReads(host, terminal.cwd);
      const compiled = await compileConfig(config, withWasm, options, caching, terminal, { host: read, asc });
      onChecked?.(compiled.diagnostics);
      reportDiagnostics(compiled.diagnostics, reporting, terminal, config);
      const project = projectOf(compiled, read.inputs);
      if (project) await onCompiled(project, asc);
      const found = counted(compiled.diagnostics) || "no errors";
      terminal.err(`[${time()}] ${found}; watching ${count(host.noted.size, "file")}\n`);
      host.noted.clear();
      changed = await watcher.change();
      if (terminal.signal.aborted) return exitCodes.interrupted;
    }
  } finally {
    if (asc !== terminal.asc) await asc.close();
  }
}

/** Reports which files changed; clears a terminal first. */
export function announce(changed: readonly string[], { err, isTty, cwd }: Terminal): void {
  if (changed.length === 0) return;
  const names = changed.map((path) =>
    visible(path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : path),
  );
  err(`${isTty ? clearScreen : ""}[${time()}] changed: ${names.join(", ")}\n`);
}

/** A host that watches every file it reads. */
function notingHost(host: Host, watcher: FileWatcher, cwd: string): Host & { readonly noted: Set<string> } {
  const noted = new Set<string>();
  return {
    ...host,
    noted,
    readFile(path, limit) {
      const absolute = resolve(cwd, path);
      noted.add(absolute);
      watcher.note(absolute);
      return host.readFile(path, limit);
    },
  };
}

/** The time of day, for people. */
export function time(): string {
  return new Date().toTimeString().slice(0, 8);
}
