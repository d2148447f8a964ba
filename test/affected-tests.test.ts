import { expect, it } from "vitest";
import { affectedTests } from "../scripts/affected-tests.mjs";

const files = new Map([
  ["src/a.ts", 'export { b } from "./b.js";'],
  ["src/b.ts", 'new Worker(new URL("./b-worker.js", import.meta.url));'],
  ["src/b-worker.ts", 'import "./deep.js";'],
  ["src/deep.ts", ""],
  ["src/other.ts", 'const templates = new URL("../templates/", import.meta.url);'],
  ["test/a.test.ts", 'import { b } from "../src/a.js";'],
  ["test/c.database.test.ts", 'import { help } from "./support/help.js";'],
  ["test/other.test.ts", 'import "../src/other.js";'],
  ["test/tool.shipped.test.ts", ""],
  ["test/support/help.ts", ""],
]);

it.each([
  ["a module", ["src/b.ts"], ["test/a.test.ts", "test/tool.shipped.test.ts"]],
  ["a module that only a thread loads", ["src/deep.ts"], ["test/a.test.ts", "test/tool.shipped.test.ts"]],
  ["a helper of tests", ["test/support/help.ts"], ["test/c.database.test.ts"]],
  ["a test", ["test/other.test.ts"], ["test/other.test.ts"]],
  ["a text that a module reads", ["templates/x.hbs"], ["test/other.test.ts", "test/tool.shipped.test.ts"]],
  ["a module that is gone", ["src/deep.ts", "src/gone.ts"], ["test/a.test.ts", "test/tool.shipped.test.ts"]],
  ["nothing", [], []],
])("a change of %s affects the tests that reach it", (_, changed, affected) => {
  expect(affectedTests(files, changed)).toEqual(affected);
});

it.each([
  "package.json",
  "vitest.config.ts",
  "test/support/setup/memory-folder.ts",
])("a change of %s affects all tests", (path) => {
  expect(affectedTests(files, [path])).toEqual([...files.keys()].filter((each) => each.includes(".test.")));
});
