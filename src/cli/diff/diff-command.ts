import { remotely } from "../remote/remotely.js";
import { command } from "../terminal/command.js";
import { outputOption } from "../terminal/options.js";

const what = "configuration, folder of a build, schema.graphql, <name>/<version> of what is deployed";

/** `diff` */
export const diffCommand = command({
  name: "diff <old> <new>",
  describe: "Say what a change does: to queries, and to what is indexed",
  positionals: {
    old: { type: "string", demandOption: true, coerce: inputOf, describe: `${what}; - for standard input` },
    new: { type: "string", demandOption: true, coerce: inputOf, describe: "the same" },
  },
  options: { output: outputOption },
  examples: [
    ["$0 diff old.json subgraph.json", "what changes for who queries, and which entities are indexed again"],
    [
      "git show main:subgraph.json | $0 diff - subgraph.json",
      "a branch, from the configuration's own folder",
    ],
    ["$0 diff pools/1.0.0 subgraph.json", "before deploying: would a query break?"],
    ["$0 diff pools/1.0.0 subgraph.json --output json", "for a program"],
  ],
  epilogue:
    "Removed and renamed entities and fields break queries, and so do other types, and fields that may be null now. " +
    "A renaming is sure where handlers store the same as before; otherwise it is told with a question mark. " +
    "Between two configurations all is compared, down to the calls; of a build, its manifest; of what is deployed, " +
    "the schema alone, with the token of the login. A new version is always indexed whole: what need not be indexed " +
    "again is what it could take over by a graft. Exit codes: 0 nothing breaks, 4 something does.",
  load: remotely(async () => (await import("./run-diff.js")).runDiff),
});

/** yargs parses `-` as an empty string. */
function inputOf(path: string): string {
  return path === "" ? "-" : path;
}
