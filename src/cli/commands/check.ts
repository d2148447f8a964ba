import type { Argv } from "yargs";
import { configArgument, dryRunOption, fixOption, formatOption, type ReportArguments } from "../options.js";
import { worldFor } from "../report-outcome.js";
import { exitCodes, type World } from "../world.js";
import { compileProject } from "./compile-project.js";
import { fixConfig } from "./fix-config.js";

/** What `check` was given. */
interface CheckArguments extends ReportArguments {
  readonly config: string;
  readonly fix: boolean;
  readonly dryRun: boolean;
}

/** Adds `check` to the commands. */
export function addCheck(program: Argv, world: World, done: (code: number) => void): Argv {
  return program.command(
    "check <config>",
    "Say everything there is to say about a configuration; write nothing, unless told to fix it",
    (command) =>
      command
        .positional("config", configArgument)
        .option("fix", fixOption)
        .option("dry-run", dryRunOption)
        .option("format", formatOption)
        .example("$0 check subgraph.json", "while writing it")
        .example("$0 check subgraph.json --fix", "make the changes that are certain, and show them")
        .example("$0 check subgraph.json --format github", "in a workflow: mistakes are shown in the change"),
    async (args) => done(await checkConfig(args as typeof args & ReportArguments, world)),
  );
}

async function checkConfig(args: CheckArguments, world: World): Promise<number> {
  if (args.fix) return fixConfig(args, world);
  if (args.dryRun) {
    world.err("--dry-run shows what --fix would do: give both, or neither.\n");
    return exitCodes.usage;
  }
  const project = await compileProject(args.config, false, {}, args, world);
  if (!project) return exitCodes.diagnostics;
  const name = args.config === "" || args.config === "-" ? "<stdin>" : args.config;
  worldFor(args, world).out(`${name} is fine:\n${project.summary}`);
  return exitCodes.clean;
}
