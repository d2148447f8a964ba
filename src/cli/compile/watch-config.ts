import { resolve } from "node:path";
import { visible } from "../../base/visible.js";
import type { WasmOptions } from "../../compiler/compilation.js";
import type { Host } from "../../compiler/host.js";
import { startAsc } from "../../node/asc.js";
import { createNodeHost } from "../../node/host.js";
import { createFileWatcher, type FileWatcher } from "../../node/watch.js";
import type { CacheArguments, ReportArguments } from "../terminal/options.js";
import { counted, reportDiagnostics } from "../terminal/report-outcome.js";
import { count } from "../terminal/summary.js";
import { exitCodes, type World } from "../terminal/world.js";
import { type CompiledProject, compileConfig, projectOf } from "./compile-project.js";

/** A configuration to be compiled again and again. */
export interface WatchedConfig {
  /** As the command line names it. */
  readonly config: string;
  /** Whether to build the WASM. */
  readonly withWasm: boolean;
  readonly options: WasmOptions;
  readonly reporting: ReportArguments;
  readonly caching: CacheArguments;
}

const clearScreen = "\u001b[2J\u001b[3J\u001b[H";

/**
 * Compiles a configuration, and again whenever it or an ABI changes, until interrupted. Everything that was loaded
 * stays loaded. A configuration that cannot be read is waited for.
 * @param onCompiled what to do with a project that has no errors
 * @returns the exit code
 */
export async function watchConfig(
  { config, withWasm, options, reporting, caching }: WatchedConfig,
  world: World,
  onCompiled: (project: CompiledProject) => Promise<unknown>,
): Promise<number> {
  if (config === "" || config === "-") {
    world.err("--watch needs a file: standard input does not change.\n");
    return exitCodes.usage;
  }
  const asc = startAsc();
  const watcher = createFileWatcher(world.signal);
  const host = notingHost(createNodeHost({ cwd: world.cwd }), watcher, world.cwd);
  asc.prepare(await host.packageSources("@graphprotocol/graph-ts"));
  try {
    for (let changed: readonly string[] = []; ; ) {
      announce(changed, world);
      const compiled = await compileConfig(config, withWasm, options, caching, world, {
        host,
        asc,
      });
      reportDiagnostics(compiled.diagnostics, reporting, world, config);
      const project = projectOf(compiled);
      if (project) await onCompiled(project);
      const found = counted(compiled.diagnostics) || "no errors";
      world.err(`[${time()}] ${found}; watching ${count(host.noted.size, "file")}\n`);
      host.noted.clear();
      changed = await watcher.change();
      if (world.signal.aborted) return exitCodes.interrupted;
    }
  } finally {
    await asc.close();
  }
}

/** Says what is compiled again, and why; a terminal shows nothing else from then on. */
function announce(changed: readonly string[], { err, isTerminal, cwd }: World): void {
  if (changed.length === 0) return;
  const names = changed.map((path) =>
    visible(path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : path),
  );
  err(`${isTerminal ? clearScreen : ""}[${time()}] changed: ${names.join(", ")}\n`);
}

/** A host that has every file it reads watched. */
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
function time(): string {
  return new Date().toTimeString().slice(0, 8);
}
