import { command } from "../terminal/command.js";
import { cacheOption, textOption, watchOption } from "../terminal/usage/options.js";

export const testCommand = command({
  name: "test [names..]",
  describe:
    "Run the tests of a subgraph: matchstick's, in AssemblyScript, and gnd's, in JSON, which configurations take too",
  positionals: {
    names: {
      type: "string",
      array: true,
      describe:
        "beginnings of the names of the test files to run [default: all]; before them, another project: its folder, manifest or configuration [default: the current folder]",
    },
  },
  options: {
    recompile: {
      type: "boolean",
      alias: "r",
      default: false,
      describe: "compile every test file again, even if nothing has changed",
    },
    coverage: {
      type: "boolean",
      alias: "c",
      default: false,
      describe: "after the tests, also show which handlers they ran",
    },
    watch: {
      ...watchOption,
      alias: "w",
      describe:
        "run again whenever a mapping, a test or another file of the project changes, until interrupted",
    },
    junit: {
      ...textOption,
      describe: "file to write the results to, as XML in the form of JUnit, which CI servers read",
    },
    cache: cacheOption,
  },
  examples: [
    ["$0 test", "all tests of the project in this folder"],
    ["$0 test gravity", "the test files whose names begin with gravity"],
    ["$0 test tests/transfer.json", "one test in JSON"],
    ["$0 test subgraph.json", "the tests in JSON of a configuration"],
    ["$0 test --watch", "all tests, again after every edit"],
    ["$0 test --coverage", "all tests, and which handlers they do not run"],
    ["$0 test --junit results.xml", "all tests, with a report for a CI server"],
    ["$0 test ../other-subgraph", "the tests of another project"],
  ],
  load: async () => (await import("./run-tests.js")).runTests,
});
