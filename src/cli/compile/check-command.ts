import { exitCodes } from "../terminal/exit-codes.js";
import {
  type CacheArguments,
  cacheOption,
  configArgument,
  dryRunOption,
  fixOption,
  formatOption,
  type ReportArguments,
  watchOption,
} from "../terminal/options.js";
import type { Terminal } from "../terminal/terminal.js";
import type { Argv } from "../terminal/yargs.js";
import { type CompiledProject, compileProject } from "./compile-project.js";
import { terminalFor } from "./report-diagnostics.js";

/** What `check` was given. */
interface CheckArguments extends ReportArguments, CacheArguments {
  readonly config: string;
  readonly fix: boolean;
  readonly dryRun: boolean;
  readonly watch: boolean;
}

/** Adds `check` to the commands. */
export function addCheck(program: Argv, terminal: Terminal, done: (code: number) => void): Argv {
  return program.command(
    "check <config>",
    "Say everything there is to say about a configuration; write nothing, unless told to fix it",
    (command) =>
      command
        .positional("config", configArgument)
        .option("fix", fixOption)
        .option("dry-run", dryRunOption)
        .option("watch", watchOption)
        .option("cache", cacheOption)
        .option("format", formatOption)
        .example("$0 check subgraph.json --watch", "while writing it")
        .example("$0 check subgraph.json --fix", "make the changes that are certain, and show them")
        .example("$0 check subgraph.json --format github", "in a workflow: mistakes are shown in the change"),
    async (args) => done(await checkConfig(args as typeof args & ReportArguments & CacheArguments, terminal)),
  );
}

async function checkConfig(args: CheckArguments, terminal: Terminal): Promise<number> {
  if (args.fix && args.watch) {
    terminal.err("--fix and --watch exclude each other: a change is made once.\n");
    return exitCodes.usage;
  }
  if (args.fix) {
    const { fixConfig } = await import("./fix-config.js");
    return fixConfig(args, terminal);
  }
  if (args.dryRun) {
    terminal.err("--dry-run shows what --fix would do: give both, or neither.\n");
    return exitCodes.usage;
  }
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
  const name = args.config === "" || args.config === "-" ? "<stdin>" : args.config;
  terminalFor(args, terminal).out(`${name} is fine:\n${summary}`);
}
