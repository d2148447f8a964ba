import {
  type CacheArguments,
  cacheOption,
  configArgument,
  formatOption,
  optimizeOption,
  type ReportArguments,
} from "../terminal/options.js";
import type { Terminal } from "../terminal/terminal.js";
import type { Argv } from "../terminal/yargs.js";
import type { RunArguments } from "./run-arguments.js";

/** Adds `run` to the commands. */
export function addRun(program: Argv, terminal: Terminal, done: (code: number) => void): Argv {
  return program.command(
    "run <config>",
    "Index a chain on this machine and show the entities; nothing is written to disk",
    (command) =>
      command
        .positional("config", configArgument)
        .option("rpc", {
          type: "string",
          requiresArg: true,
          describe:
            "node of a chain, <chain>=<url>; with one chain also the url alone; may be repeated [default: the environment's GRAPHLOOM_RPC_<CHAIN>]",
        })
        .option("blocks", {
          ...number,
          describe: "how many blocks, from the first one on [default: up to the head]",
        })
        .option("from-block", {
          ...number,
          describe: "first block, also for sources that start later [default: the first start block]",
        })
        .option("to-block", { ...number, conflicts: "blocks", describe: "last block [default: the head]" })
        .option("watch", {
          type: "boolean",
          default: false,
          describe: "follow the head, until interrupted or at the last block",
        })
        .option("entity", {
          type: "string",
          requiresArg: true,
          describe: "entity type to show; may be repeated [default: all]",
        })
        .option("last", {
          ...number,
          describe: "how many entities of each type to show [default: 5 in tables, else all]",
        })
        .option("output", {
          choices: ["table", "json", "ndjson"],
          default: "table",
          requiresArg: true,
          describe: "how to show entities: for people, as one JSON document, or a line for each",
        })
        .option("patience", { ...number, default: 600, describe: "seconds that a node may be out of reach" })
        .option("optimize", optimizeOption)
        .option("cache", cacheOption)
        .option("format", formatOption)
        .example(
          "$0 run subgraph.json --rpc mainnet=http://127.0.0.1:8545 --blocks 200",
          "the first 200 blocks",
        )
        .example(
          "$0 run subgraph.json --rpc http://127.0.0.1:8545 --from-block 0 --watch",
          "with a local node",
        ),
    async (args) => {
      const { runConfig } = await import("./run-config.js");
      done(await runConfig(args as typeof args & ReportArguments & CacheArguments & RunArguments, terminal));
    },
  );
}

const number = { type: "number", requiresArg: true } as const;
