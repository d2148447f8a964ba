import type { RemoteArguments } from "../remote/session.js";
import { textOption } from "../terminal/usage/options.js";
import type { Options } from "../terminal/usage/yargs.js";

/** The positional argument of commands that take a subgraph. */
export const subgraphWord = {
  type: "string",
  describe:
    "configuration, subgraph.yaml or its folder, build or zip of one, deployment id, or <name>/<version> on a server; - for a configuration on standard input [default: subgraph.json, else subgraph.yaml]",
} as const;

/** Options of commands that compile a subgraph that was written by hand. */
export const networkOptions = {
  network: {
    ...textOption,
    describe: "take the addresses and start blocks of a subgraph.yaml from this network of networks.json",
  },
  "network-file": {
    ...textOption,
    describe: "file with the addresses and start blocks of each network [default: networks.json beside it]",
  },
} as const satisfies Record<string, Options>;

/** Arguments of commands that take a subgraph: these options, and where to look for versions. */
export interface WordArguments extends RemoteArguments {
  readonly network?: string | undefined;
  /** A file's path. */
  readonly networkFile?: string | undefined;
}
