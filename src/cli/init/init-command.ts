import { deploymentOptions } from "../deploy/deploy-command.js";
import { remotely } from "../remote/remotely.js";
import { exitCodes } from "../terminal/exit-codes.js";
import { buildOption, cacheOption, forceOption, formatOption, optimizeOption } from "../terminal/options.js";
import type { Terminal } from "../terminal/terminal.js";
import type { Argv, Options } from "../terminal/yargs.js";
import type { DeployInitArguments } from "./deploy-init.js";

const text = { type: "string", requiresArg: true } as const satisfies Options;

/** What a configuration is made of: lists with commas, of one entry or as many as there are contracts. */
const contractOptions = {
  abi: {
    ...text,
    describe: "file with the contract's ABI: a bare one, a build artifact, an explorer's answer",
  },
  contract: { ...text, describe: "address of the contract; several with commas between them" },
  network: { ...text, describe: "chain the contract is on, such as mainnet" },
  "start-block": { ...text, describe: "block the contract was created in [default: 0]" },
  "contract-name": { ...text, describe: "name of the contract [default: the name of its ABI's file]" },
} as const satisfies Record<string, Options>;

/** What of a contract is indexed: lists with commas, for all contracts. */
const selectionOptions = {
  "contract-events": {
    ...text,
    describe: "index only these events: names or signatures, with commas between them",
  },
  "contract-calls": { ...text, describe: "also index the calls of these functions, and of no others" },
} as const satisfies Record<string, Options>;

const outputOptions = {
  "target-path": { ...text, describe: "folder to write to [default: the subgraph's name]" },
  build: buildOption,
  optimize: optimizeOption,
  force: forceOption,
  cache: cacheOption,
  format: formatOption,
} as const satisfies Record<string, Options>;

/** Adds `init` to a command group. */
export function addInit(group: Argv, terminal: Terminal, done: (code: number) => void): Argv {
  return group.command(
    "init [nameAndVersion]",
    "Generate a subgraph from a configuration, or from a contract's ABI and address",
    (command) =>
      command
        .positional("nameAndVersion", {
          type: "string",
          describe: "<name> or <name>/<version>; wins over the configuration's own name",
        })
        .option("from-config", {
          ...text,
          describe: "configuration: JSON, JSON5 or YAML; - for standard input",
        })
        .options(contractOptions)
        .options(selectionOptions)
        .option("call-handlers", {
          type: "boolean",
          default: false,
          describe: "also index the calls of all functions that change state; also with --from-config",
        })
        .option("description", { ...text, describe: "what the subgraph is, in at most 500 characters" })
        .options(outputOptions)
        .option("deploy", {
          type: "boolean",
          default: false,
          describe: "build it and deploy it to the management API, or to a graph-node",
        })
        .options(deploymentOptions)
        .group("from-config", "From a configuration:")
        .group(
          Object.keys(contractOptions),
          "From a contract (lists, with one entry or one for each contract):",
        )
        .group([...Object.keys(selectionOptions), "call-handlers"], "What of it (by default, all events):")
        .group(["description", ...Object.keys(outputOptions)], "Output:")
        .example("$0 subgraph init pools/1.0.0 --from-config subgraph.json --build", "into the folder pools/")
        .example(
          "$0 subgraph init --from-config subgraph.yaml --target-path out --force",
          "again, after a change",
        )
        .group(["deploy", ...Object.keys(deploymentOptions)], "Deployment:")
        .example(
          "$0 subgraph init pools/1.0.0 --from-config subgraph.json --deploy --tag prod",
          "and deploy it",
        )
        .example(
          "$0 subgraph init token/1.0.0 --abi Token.json --contract 0xA0b8…eB48 --network mainnet --start-block 6082465",
          "without a configuration: one is made",
        ),
    async (argv) => {
      const args = argv as unknown as DeployInitArguments;
      if (args.deploy) {
        return remotely(terminal, done, async () => {
          const { deployInit } = await import("./deploy-init.js");
          return () => deployInit(args, terminal);
        });
      }
      const { initProject } = await import("./init-project.js");
      const outcome = await initProject(args, terminal);
      done(outcome.kind === "written" ? exitCodes.clean : outcome.code);
    },
  );
}
