import { describe, expect, it } from "vitest";
import type { SuiteOutcome } from "../../../src/testing/outcome.js";
import { linesOf, runAssembly } from "../../support/testing/run-assembly.js";

const schema = "type Token @entity(immutable: false) { id: ID! }";
const imports = `
import { afterAll, afterEach, assert, beforeAll, beforeEach, clearStore, describe, log, test } from "matchstick-as/assembly/index";
import { Entity, Value, store } from "@graphprotocol/graph-ts";
function save(id: string): void { const token = new Entity(); token.set("id", Value.fromString(id)); store.set("Token", id, token); }
`;

function run(text: string): Promise<SuiteOutcome> {
  return runAssembly(imports + text, { schema });
}

const verdicts = ({ tests }: SuiteOutcome): unknown[] =>
  tests.map(({ within, name, passed }) => [[...within, name].join(" > "), passed]);

describe("a test file", () => {
  it("runs its tests and blocks in the order in which it registers them, with one store", async () => {
    const outcome = await run(`
      test("first", () => { save("1"); });
      describe("outer", () => {
        test("second", () => { assert.entityCount("Token", 1); save("2"); });
        describe("inner", () => { test("third", () => { assert.entityCount("Token", 2); clearStore(); }); });
        test("fourth", () => { assert.entityCount("Token", 0); });
      });
      test("fifth", () => { assert.entityCount("Token", 1); });
    `);
    expect(verdicts(outcome)).toEqual([
      ["first", true],
      ["outer > second", true],
      ["outer > inner > third", true],
      ["outer > fourth", true],
      ["fifth", false],
    ]);
  });

  it("keeps global variables from one test to the next", async () => {
    const outcome = await run(`
      let count = 0;
      test("first", () => { count += 1; });
      test("second", () => { count += 1; assert.i32Equals(count, 2); });
    `);
    expect(verdicts(outcome)).toEqual([
      ["first", true],
      ["second", true],
    ]);
  });

  it("passes a test that should fail if it fails, and fails it if it passes", async () => {
    const outcome = await run(`
      test("throws", () => { throw new Error("no"); }, true);
      test("asserts", () => { assert.assertTrue(false); }, true);
      test("succeeds", () => {}, true);
    `);
    expect(verdicts(outcome)).toEqual([
      ["throws", true],
      ["asserts", true],
      ["succeeds", false],
    ]);
    expect(linesOf(outcome, "succeeds")).toEqual(["error Expected test to fail but it passed successfully!"]);
  });

  it("fails a test with a critical log even if it should fail, and continues", async () => {
    const outcome = await run(`
      test("critical", () => { log.critical("stop", []); }, true);
      test("next", () => {});
    `);
    expect(verdicts(outcome)).toEqual([
      ["critical", false],
      ["next", true],
    ]);
  });

  it("calls outer hooks before inner ones, and in reverse order after the tests", async () => {
    const outcome = await run(`
      beforeAll(() => { log.info("all", []); });
      beforeEach(() => { log.info("outer before", []); });
      afterEach(() => { log.info("outer after", []); });
      afterAll(() => { log.info("all done", []); });
      describe("block", () => {
        afterEach(() => { log.info("inner after", []); });
        test("test", () => { log.info("test", []); });
        beforeEach(() => { log.info("inner before", []); });
      });
    `);
    expect(linesOf(outcome, "test")).toEqual(
      ["outer before", "inner before", "test", "inner after", "outer after"].map((line) => `info ${line}`),
    );
    expect(outcome.around.map(({ text }) => text)).toEqual(["all", "all done"]);
  });

  it("fails the tests of a block whose hook fails", async () => {
    const outcome = await run(`
      describe("all", () => { beforeAll(() => { throw new Error("early"); }); test("a", () => {}); });
      describe("each", () => { beforeEach(() => { throw new Error("each"); }); test("b", () => {}, true); });
      describe("after", () => { afterEach(() => { throw new Error("late"); }); test("c", () => {}); });
      test("d", () => {});
    `);
    expect(verdicts(outcome)).toEqual([
      ["all > a", false],
      ["each > b", false],
      ["after > c", false],
      ["d", true],
    ]);
    expect(linesOf(outcome, "a")[0]).toBe("critical Unexpected error upon calling the hook beforeAll:");
    expect(linesOf(outcome, "a")[1]).toContain("with message: early");
  });

  it("is broken if a hook after all tests fails, but keeps their verdicts", async () => {
    const outcome = await run(`
      afterAll(() => { throw new Error("late"); });
      test("a", () => {});
    `);
    expect(verdicts(outcome)).toEqual([["a", true]]);
    expect(outcome.broken.map(({ text }) => text)[0]).toContain("the hook afterAll");
  });

  it("is broken if its code outside of tests fails", async () => {
    const outcome = await run(`
      test("a", () => {});
      throw new Error("top");
    `);
    expect(outcome.tests).toEqual([]);
    expect(outcome.broken).toMatchObject([
      { text: expect.stringContaining("with message: top"), at: { line: 7 } },
    ]);
  });

  it("is broken if it does not compile, with every mistake at its place", async () => {
    const outcome = await run(`
      test("a", () => { assert.i32Equals("x", 1); });
      test("b", () => { assert.i32Equals(nothing, 1); });
    `);
    expect(outcome.broken).toMatchObject([
      { level: "error", at: { file: "tests/a.test.ts", line: 6, column: 42 } },
      { level: "error", at: { file: "tests/a.test.ts", line: 7, column: 42 } },
    ]);
  });

  it("is broken if it needs a function that no host provides", async () => {
    const outcome = await run(`test("a", () => { assert.assertTrue(Date.now() > 0); });`);
    expect(outcome.broken.map(({ text }) => text)).toEqual([
      "the tests need Date.now, which neither graph-node nor matchstick provides",
    ]);
  });

  it("names the line of a mapping that fails inside of a test", async () => {
    const mapping = `export function handle(): void {\n  const a: i32[] = [];\n  a[3];\n}\n`;
    const outcome = await runAssembly(
      `import { handle } from "../src/mapping";${imports}test("a", () => { handle(); });`,
      { schema, files: { "src/mapping.ts": mapping } },
    );
    expect(outcome.tests[0]?.lines).toMatchObject([{ at: { file: "src/mapping.ts", line: 3 } }]);
  });
});
