import type { Argv } from "yargs";
import type { Optimization } from "../../build/built-wasm.js";
import { buildOption, forceOption, formatOption, optimizeOption, type ReportArguments } from "../options.js";
import { parseProjectName } from "../project-name.js";
import { worldFor } from "../report-outcome.js";
import { exitCodes, type World } from "../world.js";
import { writeTarget } from "../write-target.js";
import { compileProject } from "./compile-project.js";

/** What `subgraph init` was given. */
interface InitArguments extends ReportArguments {
  readonly nameAndVersion?: string | undefined;
  readonly fromConfig: string;
  readonly targetPath?: string | undefined;
  readonly force: boolean;
  readonly build: boolean;
  readonly optimize: Optimization;
}

/** Adds `init` to a command group. */
export function addInit(group: Argv, world: World, done: (code: number) => void): Argv {
  return group.command(
    "init [nameAndVersion]",
    "Generate a subgraph from a configuration",
    (command) =>
      command
        .positional("nameAndVersion", {
          type: "string",
          describe: "<name> or <name>/<version>; wins over the configuration's own name",
        })
        .option("from-config", {
          type: "string",
          demandOption: "say which configuration: --from-config <file>",
          requiresArg: true,
          describe: "configuration: JSON, JSON5 or YAML; - for standard input",
        })
        .option("target-path", {
          type: "string",
          requiresArg: true,
          describe: "folder to write to [default: the subgraph's name]",
        })
        .option("build", buildOption)
        .option("optimize", optimizeOption)
        .option("force", forceOption)
        .option("format", formatOption)
        .example("$0 subgraph init pools/1.0.0 --from-config subgraph.json --build", "into the folder pools/")
        .example(
          "$0 subgraph init --from-config subgraph.yaml --target-path out --force",
          "again, after a change",
        ),
    async (args) => done(await init(args as typeof args & ReportArguments, world)),
  );
}

async function init(args: InitArguments, world: World): Promise<number> {
  const named = args.nameAndVersion === undefined ? undefined : parseProjectName(args.nameAndVersion);
  if (args.nameAndVersion !== undefined && !named) {
    world.err(
      `"${args.nameAndVersion}" is not a subgraph's name: write <name>/<version>, such as pools/1.0.0; ` +
        "names begin with a letter and hold letters, digits, - and _\n",
    );
    return exitCodes.usage;
  }
  const project = await compileProject(
    args.fromConfig,
    args.build,
    { ...named, optimize: args.optimize },
    args,
    world,
  );
  if (!project) return exitCodes.diagnostics;
  const target = args.targetPath ?? project.model.name;
  if (target === undefined) {
    world.err(
      'Say where to write: give the subgraph a name, a "name" in the configuration, or --target-path.\n',
    );
    return exitCodes.usage;
  }
  const told = worldFor(args, world);
  const code = await writeTarget(target, project.files, args.force, told);
  if (code === exitCodes.clean) told.out(project.summary);
  return code;
}
