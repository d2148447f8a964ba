import { exitCodes } from "../terminal/exit-codes.js";
import type { CacheArguments, ReportArguments } from "../terminal/options.js";
import type { Terminal } from "../terminal/terminal.js";
import { UsageError } from "../terminal/usage-error.js";
import { type CompiledProject, compileProject } from "./compile-project.js";
import { terminalFor } from "./report-diagnostics.js";

/** Arguments of `check`. */
export interface CheckArguments extends ReportArguments, CacheArguments {
  readonly config: string;
  readonly fix: boolean;
  readonly dryRun: boolean;
  readonly watch: boolean;
}

/** Compiles and type-checks a configuration and reports its diagnostics; returns the exit code. */
export async function checkConfig(args: CheckArguments, terminal: Terminal): Promise<number> {
  if (args.fix && args.watch) throw new UsageError("--fix and --watch cannot be combined.");
  if (args.fix) {
    const { fixConfig } = await import("./fix-config.js");
    return fixConfig(args, terminal);
  }
  if (args.dryRun) throw new UsageError("--dry-run requires --fix: it shows what --fix would change.");
  if (args.watch) {
    const { watchConfig } = await import("./watch-config.js");
    const watched = { config: args.config, withWasm: false, options: {}, reporting: args, caching: args };
    return watchConfig(watched, terminal, async (project) => praise(args, project, terminal));
  }
  const project = await compileProject(args.config, false, {}, args, terminal);
  if (!project) return exitCodes.diagnostics;
  praise(args, project, terminal);
  return exitCodes.clean;
}

function praise(args: CheckArguments, { summary }: CompiledProject, terminal: Terminal): void {
  const name = args.config === "-" ? "<stdin>" : args.config;
  terminalFor(args, terminal).out(`${name} is fine:\n${summary}`);
}
