import { remotely } from "../remote/remotely.js";
import { command } from "../terminal/command.js";
import { outputOption, textOption } from "../terminal/usage/options.js";

export const doctorCommand = command({
  name: "doctor",
  describe: "Check a service with the history of a chain, before you index from it",
  options: {
    source: {
      ...textOption,
      demandOption: true,
      describe:
        "service to check: portal=<url> or hypersync=<url>, or <chain>=portal or <chain>=hypersync for SQD's public Portal or Envio's HyperSync",
    },
    rpc: { ...textOption, describe: "node of the same chain, to compare with [default: none]" },
    output: outputOption,
  },
  examples: [
    ["$0 doctor --source mainnet=portal --rpc https://…", "SQD's public Portal, compared with a node"],
    [
      "$0 doctor --source hypersync=https://eth.hypersync.xyz",
      "what HyperSync's answers prove by themselves",
    ],
  ],
  epilogue:
    "Reads two ranges of 100 final blocks with their ERC-20 transfers, as --source of run, dev and serve does, and ends after " +
    "a minute. If something fails, the lines are what to report: they contain no keys. " +
    "Exit codes: 0 nothing failed, 3 something failed, or the service or the node cannot be asked.",
  load: remotely(async () => (await import("./check-given-source.js")).checkGivenSource),
});
