import { networkOptions } from "../named/word-options.js";
import { remotely } from "../remote/remotely.js";
import { command } from "../terminal/command.js";
import { cacheOption, outputOption, textOption } from "../terminal/usage/options.js";

export const whyCommand = command({
  name: "why <subgraph> <entity> <id>",
  describe: "Show how an entity came about: its versions, and the lines that wrote them",
  positionals: {
    subgraph: {
      type: "string",
      demandOption: true,
      describe:
        "<name>/<version> on a server; with a database also <name>, the id of a deployment, or the file of the subgraph",
    },
    entity: { type: "string", demandOption: true, describe: "entity type, as in the schema" },
    id: { type: "string", demandOption: true, describe: "id of the entity" },
  },
  options: {
    database: {
      ...textOption,
      describe:
        "read the database of run, dev or serve instead of a server: a folder, or postgres://user:password@host/name [default: GRAPHLOOM_DATABASE]",
    },
    data: { ...textOption, describe: "the same as the folder of dev --data or serve --data" },
    chain: { ...textOption, describe: "the chain to look at, for a file of a subgraph on several chains" },
    before: {
      ...textOption,
      describe: "show versions before this one: the number that an earlier answer ends with",
    },
    ...networkOptions,
    cache: cacheOption,
    output: outputOption,
  },
  groups: {
    "Where it is indexed:": ["database", "data", "chain"],
  },
  examples: [
    ["$0 why pools/1.0.0 Pool 0xabc…", "an entity of a version on the server of the last login"],
    ["$0 why pools Pool 0xabc… --data data", "what dev --data data has indexed, while dev does not run"],
    ["$0 why subgraph.json Pool 0xabc… --database data", "what run --database data has indexed, with lines"],
  ],
  epilogue:
    "Each version has its block, its transaction if the entity keeps it, the fields that changed, and the handlers that " +
    "may have stored it, with their lines in the configuration. run keeps no build beside its entities: name its file, " +
    "and the lines come from there. Exit codes: 0 shown, 1 the database or the file cannot be used, 3 the server cannot " +
    "be asked or has no such entity.",
  load: remotely(async () => (await import("./explain-entity.js")).explainEntity),
});
