import type { Argv } from "yargs";
import { configArgument, formatOption, type ReportArguments } from "../options.js";
import { worldFor } from "../report-outcome.js";
import { exitCodes, type World } from "../world.js";
import { compileProject } from "./compile-project.js";

/** What `check` was given. */
interface CheckArguments extends ReportArguments {
  readonly config: string;
}

/** Adds `check` to the commands. */
export function addCheck(program: Argv, world: World, done: (code: number) => void): Argv {
  return program.command(
    "check <config>",
    "Say everything there is to say about a configuration, and write nothing",
    (command) =>
      command
        .positional("config", configArgument)
        .option("format", formatOption)
        .example("$0 check subgraph.json", "while writing it")
        .example("$0 check subgraph.json --format github", "in a workflow: mistakes are shown in the change"),
    async (args) => done(await checkConfig(args as typeof args & ReportArguments, world)),
  );
}

async function checkConfig(args: CheckArguments, world: World): Promise<number> {
  const project = await compileProject(args.config, false, {}, args, world);
  if (!project) return exitCodes.diagnostics;
  const name = args.config === "" || args.config === "-" ? "<stdin>" : args.config;
  worldFor(args, world).out(`${name} is fine:\n${project.summary}`);
  return exitCodes.clean;
}
