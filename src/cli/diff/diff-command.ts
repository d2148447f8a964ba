import { networkOptions } from "../named/word-options.js";
import { remotely } from "../remote/remotely.js";
import { command } from "../terminal/command.js";
import { outputOption, textOption } from "../terminal/usage/options.js";

const what =
  "configuration, subgraph.yaml or its folder, build or zip of one, deployment id, schema.graphql, or <name>/<version> of a deployed subgraph";

export const diffCommand = command({
  name: "diff <old> <new>",
  describe: "Show how a change affects queries and what is indexed",
  positionals: {
    old: { type: "string", demandOption: true, describe: `${what}; - for standard input` },
    new: { type: "string", demandOption: true, describe: "the same" },
  },
  options: {
    ...networkOptions,
    ipfs: { ...textOption, describe: "IPFS gateway with a deployment: the address before /ipfs/" },
    output: outputOption,
  },
  examples: [
    ["$0 diff old.json subgraph.json", "which queries break, and which entities are indexed again"],
    [
      "git show main:subgraph.json | $0 diff - subgraph.json",
      "compare with a branch; run it in the configuration's folder",
    ],
    ["$0 diff pools/1.0.0 subgraph.json", "before deploying: check whether queries would break"],
    ["$0 diff pools/1.0.0 subgraph.json --output json", "as JSON, for a program"],
  ],
  epilogue:
    "Queries break when an entity or field is removed or renamed, when a field changes its type, and when it becomes " +
    "nullable. A rename is certain if the handlers store the same values as before; otherwise it is shown with a " +
    "question mark. Two configurations are compared completely, including calls. Of a build, also that of a deployed " +
    "version, the manifest is compared; of a version whose server hands out no builds, only the schema at its endpoint. " +
    "A new version always indexes everything: a graft could take over the entities that need not be indexed again. " +
    "Exit codes: 0 no query breaks, 4 queries break.",
  load: remotely(async () => (await import("./run-diff.js")).runDiff),
});
