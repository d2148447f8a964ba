import { remotely } from "../remote/remotely.js";
import { command } from "../terminal/command.js";
import { numberOption, outputOption, textOption, textsOption } from "../terminal/usage/options.js";

export const poiCommand = command({
  name: "poi <subgraph>",
  describe: "Show the proof of indexing of a subgraph at a block, as a graph-node computes it",
  positionals: {
    subgraph: {
      type: "string",
      demandOption: true,
      describe:
        "address of a GraphQL endpoint, or <name>/<version> on a server; with --database a name, <name>/<version> or a deployment id",
    },
  },
  options: {
    block: { ...numberOption, describe: "number of the block [default: the last indexed block]" },
    hash: {
      ...textOption,
      describe: "hash of the block, which the proof contains [default: as the server knows it]",
    },
    indexer: {
      ...textOption,
      describe: "address of the indexer, which the proof contains: 0x and 40 hex digits [default: none]",
    },
    database: {
      ...textOption,
      describe:
        "read the database of run, dev or serve instead of a server: a folder, or postgres://user:password@host/name",
    },
    status: {
      ...textOption,
      describe: "address of the endpoint's indexing status [default: found beside the endpoint]",
    },
    header: { ...textsOption, describe: 'header for the server, "name: value"; may be repeated' },
    output: outputOption,
  },
  groups: {
    "What to prove:": ["block", "hash", "indexer"],
    "Where it is indexed:": ["database", "status", "header"],
  },
  examples: [
    ["$0 poi pools/1.0.0 --block 19000000", "a version on the server of the last login"],
    [
      "$0 poi http://localhost:8000/subgraphs/name/pools --block 19000000",
      "a graph-node, whose status is on port 8030",
    ],
    ["$0 poi pools/1.0.0 --block 19000000 --indexer 0x…", "the proof that an indexer hands in"],
    ["$0 poi pools --database data", "what run --database data has indexed, without a server"],
  ],
  epilogue:
    "A proof of indexing is a hash of everything that the handlers of a deployment have written up to a block. " +
    "Two places that index the same deployment on the same chain have the same proof, so one line tells whether " +
    "they have the same entities. Only a member of its project gets the proof of an indexer from a server. " +
    "Deployments that began with --no-proofs, or with a version of graphloom before proofs, have none. " +
    "Exit codes: 0 shown, 1 the database has no proof, 3 the server has no proof or cannot be asked.",
  load: remotely(async () => (await import("./print-proof.js")).printProof),
});
