import { remotely } from "../remote/remotely.js";
import { command } from "../terminal/command.js";
import { numberOption, outputOption, textOption, textsOption } from "../terminal/options.js";

/** `compare` */
export const compareCommand = command({
  name: "compare <left> <right>",
  describe: "Compare all entities of two GraphQL endpoints at one block: are they the same?",
  positionals: {
    left: { type: "string", demandOption: true, describe: "address that queries are sent to" },
    right: { type: "string", demandOption: true, describe: "the other one" },
  },
  options: {
    block: { ...numberOption, describe: "block to compare at [default: the lower one of both heads]" },
    entity: { ...textsOption, describe: "entity type to compare; may be repeated [default: all]" },
    "header-left": { ...textsOption, describe: 'header for the left side, "name: value"; may be repeated' },
    "header-right": { ...textsOption, describe: "the same for the right side" },
    rate: { ...numberOption, default: 4, describe: "most requests in a second, to each server" },
    page: { ...numberOption, default: 1000, describe: "entities to ask for at once, 1000 at most" },
    state: {
      ...textOption,
      describe: "file that keeps how far it has come: the same command goes on with it",
    },
    show: { ...numberOption, default: 5, describe: "differences to show of each type, the first ones" },
    output: outputOption,
  },
  groups: {
    "What is compared:": ["block", "entity"],
    "How it is asked for:": ["header-left", "header-right", "rate", "page", "state"],
    "How it is told:": ["show", "output"],
  },
  examples: [
    [
      "$0 compare https://hosted.example/pools http://localhost:8030/subgraphs/name/pools",
      "has the move gone well?",
    ],
    [
      '$0 compare https://… https://… --header-left "Authorization: Bearer $KEY" --block 19000000',
      "with a key, which is never shown",
    ],
    [
      "$0 compare https://… https://… --state pools.state --rate 2",
      "millions of entities: what broke off goes on",
    ],
    ["$0 compare https://… https://… --entity Swap --output json", "one type, for a program"],
  ],
  epilogue:
    "Either may be any endpoint that answers as graph-node does. Types and fields that one side alone has " +
    "differ; of what both have, every stored field of every entity is compared: numbers as they are written, " +
    "BigDecimal by value, lists in order, relations by id, of a list of them the first 1000. Derived fields and aggregations follow from others, " +
    "and are not read. Exit codes: 0 they are the same, 4 they differ, 3 one cannot be read.",
  load: remotely(async () => (await import("./run-comparison.js")).runComparison),
});
