import { remotely } from "../remote/remotely.js";
import { command } from "../terminal/command.js";
import { numberOption, outputOption, textOption, textsOption } from "../terminal/usage/options.js";

export const compareCommand = command({
  name: "compare <left> <right>",
  describe: "Compare all entities of two endpoints or deployed versions at the same block",
  positionals: {
    left: {
      type: "string",
      demandOption: true,
      describe: "address of a GraphQL endpoint, or <name>/<version> on a server",
    },
    right: { type: "string", demandOption: true, describe: "the same" },
  },
  options: {
    block: { ...numberOption, describe: "block to compare at [default: the lower of the two heads]" },
    entity: { ...textsOption, describe: "entity type to compare; may be repeated [default: all]" },
    "header-left": { ...textsOption, describe: 'header for the left side, "name: value"; may be repeated' },
    "header-right": { ...textsOption, describe: "the same for the right side" },
    proofs: {
      type: "boolean",
      default: true,
      describe:
        "compare the proofs of indexing first if both sides serve the same deployment and have them; --no-proofs reads all entities",
    },
    "status-left": {
      ...textOption,
      describe: "address of the left side's indexing status [default: found beside the endpoint]",
    },
    "status-right": { ...textOption, describe: "the same for the right side" },
    rate: { ...numberOption, default: 4, describe: "maximum number of requests per second to each server" },
    page: { ...numberOption, default: 1000, describe: "entities per request, at most 1000" },
    state: {
      ...textOption,
      describe: "file that records the progress, so that the same command can resume",
    },
    show: { ...numberOption, default: 5, describe: "how many differences to show for each type" },
    output: outputOption,
  },
  groups: {
    "What to compare:": ["block", "entity", "proofs", "status-left", "status-right"],
    "Requests:": ["header-left", "header-right", "rate", "page", "state"],
    "Output:": ["show", "output"],
  },
  examples: [
    [
      "$0 compare https://hosted.example/pools http://localhost:8030/subgraphs/name/pools",
      "check that a migration is complete",
    ],
    [
      '$0 compare https://… https://… --header-left "Authorization: Bearer $KEY" --block 19000000',
      "with an API key, which is never shown",
    ],
    [
      "$0 compare https://… https://… --state pools.state --rate 2",
      "millions of entities: an interrupted comparison resumes",
    ],
    ["$0 compare pools/1.0.0 pools/1.1.0", "two versions on the server of the last login"],
    ["$0 compare https://… https://… --entity Swap --output json", "one type, as JSON for a program"],
  ],
  epilogue:
    "Two endpoints of the same deployment are compared by their proofs of indexing if both have them: equal proofs mean " +
    "that the handlers have written the same, apart from handlers of files. Otherwise the first block that differs is found, and its entities. " +
    "Each side can be any endpoint that answers as graph-node does, or a version on a server, which is read with the " +
    "token of the login. A type or field that only one side has " +
    "counts as a difference. Where both sides have it, every stored field of every entity is compared: numbers as " +
    "written, BigDecimal by value, lists in order, and relations by id (the first 1000 of a list). Derived fields " +
    "and aggregations follow from other fields, so they are not read. " +
    "Exit codes: 0 no differences, 4 differences, 3 a side cannot be read.",
  load: remotely(async () => (await import("./run-comparison.js")).runComparison),
});
