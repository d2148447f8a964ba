import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { graphloom, workplace } from "../harness.js";

const packages = fileURLToPath(new URL("../../../node_modules", import.meta.url));

const manifest = `specVersion: 0.0.5
schema: { file: ./schema.graphql }
dataSources:
  - kind: ethereum
    name: Token
    network: mainnet
    source: { abi: Token }
    mapping:
      kind: ethereum/events
      apiVersion: 0.0.9
      language: wasm/assemblyscript
      entities: [Token]
      abis: [{ name: Token, file: ./Token.json }]
      eventHandlers: [{ event: "Made(uint256)", handler: handleMade }]
      blockHandlers: [{ handler: handleBlock }]
      file: ./src/mapping.ts
`;
const mapping = `import { Entity, Value, ethereum, store } from "@graphprotocol/graph-ts";
export function handleMade(event: ethereum.Event): void {
  const token = new Entity();
  token.set("id", Value.fromString(event.logIndex.toString()));
  store.set("Token", event.logIndex.toString(), token);
}
export function handleBlock(block: ethereum.Block): void {}
`;
const begin = `import { assert, describe, newMockEvent, test } from "matchstick-as/assembly/index";
import { handleMade } from "../src/mapping";
`;
const passing = `${begin}test("stores", () => {
  handleMade(newMockEvent());
  assert.fieldEquals("Token", "1", "id", "1");
});
`;
const deep = passing.replace("../src", "../../src");
const failing = `${begin}describe("the handler", () => {
  test("stores", () => { assert.entityCount("Token", 1); });
});
`;

/** A project with these files; its packages are those of this repository. */
function project(files: Readonly<Record<string, string>>, hasPackages = true): string {
  const folder = workplace();
  const all = {
    "subgraph.yaml": manifest,
    "schema.graphql": "type Token @entity(immutable: false) { id: ID! }",
    "src/mapping.ts": mapping,
    ...files,
  };
  for (const [path, text] of Object.entries(all)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  if (hasPackages) symlinkSync(packages, join(folder, "node_modules"));
  return folder;
}

const withoutTimes = (text: string): string => text.replaceAll(/\d+\.\d{3}ms/g, "1ms");

describe("test", () => {
  it("shows the tests of all files, and repeats the failed ones with their lines", async () => {
    const folder = project({ "tests/b.test.ts": failing, "tests/deep/A.test.ts": deep });
    const { code, out, err } = await graphloom(folder, "test");
    expect(err).toBe("");
    expect(withoutTimes(out)).toBe(`
b
--------------------------------------------------
  the handler:
    𝖷 stores - 1ms

deep/a
--------------------------------------------------
  √ stores - 1ms

Failed tests:

b
  the handler › stores
    𝖷 (assert.equals) Expected value was '1' but actual value was '0'
       at tests/b.test.ts:4
    🛠  Mapping aborted at ~lib/matchstick-as/assembly/assert.ts, line 186, column 7, with message: assert.entityCount Assertion Error
       at tests/b.test.ts:4

1 failed, 1 passed, 2 total
`);
    expect(code).toBe(1);
  });

  it("writes the results for CI servers, and replaces only such a file", async () => {
    const folder = project({ "tests/a.test.ts": passing, "tests/b.test.ts": failing });
    const read = (): string => readFileSync(join(folder, "results.xml"), "utf8");
    for (const [names, counts] of [
      ["", 'tests="2" failures="1" errors="0"'],
      ["a", 'tests="1" failures="0" errors="0"'],
    ]) {
      const { err } = await graphloom(folder, `test ${names} --junit results.xml`);
      expect(err).toBe("");
      expect(read().split("\n")[1]).toContain(`<testsuites name="graphloom test" ${counts} time="`);
    }
    expect(read()).toMatch(
      /<testcase name="stores" classname="a" file="tests\/a.test.ts" time="\d+\.\d{3}"\/>/,
    );
    writeFileSync(join(folder, "results.xml"), "mine");
    const { code, err } = await graphloom(folder, "test a --junit results.xml");
    expect(err).toContain("results.xml cannot be written: a file with this name already exists");
    expect([code, read()]).toEqual([1, "mine"]);
    expect(readdirSync(folder).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  });

  it("shows which handlers the tests run with --coverage, and failures at the same lines", async () => {
    const folder = project({
      "tests/a.test.ts": passing,
      "src/mapping.ts": mapping.replace("  const", "  assert(event.logIndex.isZero());\n  const"),
    });
    const { code, out } = await graphloom(folder, "test --coverage");
    expect(out).toContain(`
Handlers for source 'Token':
Handler 'handleMade' is tested.
Handler 'handleBlock' is not tested.
Test coverage: 50.0% (1/2 handlers).

Global test coverage: 50.0% (1/2 handlers).
`);
    expect([code, out]).toEqual([1, expect.stringContaining("at src/mapping.ts:3")]);
    writeFileSync(join(folder, "src/mapping.ts"), `${mapping}nothing;\n`);
    expect((await graphloom(folder, "test -c")).out).toContain("at src/mapping.ts:8:1");
  });

  it("exits with 0 if all tests of the named files pass", async () => {
    const folder = project({ "tests/b.test.ts": failing, "tests/deep/A.test.ts": deep });
    const { code, out } = await graphloom(folder, "test deep/a");
    expect([code, out.trim().split("\n").at(-1)]).toEqual([0, "All 1 tests passed! 😎"]);
  });

  it("takes another project by its folder or its manifest", async () => {
    const folder = project({ "tests/deep/A.test.ts": deep });
    for (const name of [folder, join(folder, "subgraph.yaml")]) {
      expect((await graphloom(workplace(), ["test", name])).code).toBe(0);
    }
  });

  it("follows matchstick.yaml", async () => {
    const folder = project({
      "matchstick.yaml": "testsFolder: ./specs\nmanifestPath: ./other.yaml\nlibsFolder: ./node_modules\n",
      "other.yaml": manifest,
      "specs/a.test.ts": passing,
    });
    expect((await graphloom(folder, "test")).code).toBe(0);
  });

  it.each([
    ["matchstick.yaml: testsFolder must be a path.", { "matchstick.yaml": "testsFolder: [1]" }, 1],
    ["matchstick.yaml is not YAML: ", { "matchstick.yaml": "a: [" }, 1],
    ["No tests have been written yet: tests has no file named *.test.ts or *.json.", {}, 2],
    ["The schema that the manifest names does not exist", { "subgraph.yaml": "schema: { file: none }" }, 2],
  ])("says what is wrong with a project: %s", async (message, files, expected) => {
    const { code, err } = await graphloom(project(files), "test");
    expect(err).toContain(message);
    expect(code).toBe(expected);
  });

  it("says that no test file has the given name, and that there is no project", async () => {
    const named = await graphloom(project({ "tests/a.test.ts": passing }), "test b");
    expect(named.err).toContain("No test file in tests has a name that begins with b.");
    const none = await graphloom(workplace(), "test");
    expect(none.err).toContain("There is no subgraph.yaml in ");
    expect([named.code, none.code]).toEqual([2, 2]);
  });

  it("says how to install matchstick-as where it is missing", async () => {
    const folder = project({ "tests/a.test.ts": passing }, false);
    const { code, out } = await graphloom(folder, "test");
    expect(out).toContain(
      "The package matchstick-as is not in node_modules. Install it: npm install --save-dev matchstick-as",
    );
    expect(code).toBe(1);
  });

  it("says that types must be generated first", async () => {
    const text = `${begin}import { Token } from "../generated/schema";\ntest("a", () => { new Token("1"); });\n`;
    const { code, out } = await graphloom(project({ "tests/a.test.ts": text }), "test");
    expect(out).toContain("TS6054: File 'generated/schema.ts' not found.");
    expect(out).toContain("Generate the types of contracts and entities first: npx graph codegen");
    expect(code).toBe(1);
  });
});
