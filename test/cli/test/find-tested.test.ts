import { join } from "node:path";
import { expect, it } from "vitest";
import { findTested } from "../../../src/cli/test/find-tested.js";
import { createNodeHost } from "../../../src/machine/files/host.js";
import { useFolder } from "../../support/folder.js";

const manifest = "dataSources: []\n";
const cwd = useFolder({
  "written/subgraph.yaml": manifest,
  "written/other.yaml": manifest,
  "written/tests/a.json": '{ "blocks": [] }',
  "written/data.json": "{}",
  "written/loose.json": '{ "blocks": [] }',
  "configured/subgraph.json": '{ "version": "1" }',
  "configured/more.json5": "{ version: '1' }",
  "configured/config.yaml": "version: '1'\n",
  "configured/tests/data.json": "{}",
  "both/subgraph.yaml": manifest,
  "both/subgraph.json": '{ "version": "1" }',
  "settled/matchstick.yaml": "manifestPath: other.yaml\ntestsFolder: specs\n",
  "settled/subgraph.json": "{}",
  "settled/specs/data.json": "{}",
});

/** What words mean in a folder: the project, then the names of tests. */
async function found(folder: string, ...words: readonly string[]): Promise<readonly string[]> {
  const at = join(cwd, folder);
  const tested = await findTested(words, createNodeHost({ cwd: at }), at);
  const { folder: own, settings, configuration, wanted } = tested;
  return [(configuration ?? join(own, settings.manifest)).slice(cwd.length + 1), ...wanted];
}

it.each([
  ["written", [], ["written/subgraph.yaml"]],
  ["written", ["a", "b"], ["written/subgraph.yaml", "a", "b"]],
  ["written", ["tests/a.json"], ["written/subgraph.yaml", "tests/a.json"]],
  ["written", ["loose.json"], ["written/subgraph.yaml", "loose.json"]],
  ["written", ["none.json"], ["written/subgraph.yaml", "none.json"]],
  ["written", ["tests"], ["written/subgraph.yaml", "tests"]],
  ["written", ["other.yaml", "a"], ["written/other.yaml", "a"]],
  ["written", ["data.json", "a"], ["written/data.json", "a"]],
  ["written", ["none.yaml"], ["written/none.yaml"]],
  ["configured", [], ["configured/subgraph.json"]],
  ["configured", ["a"], ["configured/subgraph.json", "a"]],
  ["configured", ["tests/data.json"], ["configured/subgraph.json", "tests/data.json"]],
  ["configured", ["more.json5", "a"], ["configured/more.json5", "a"]],
  ["configured", ["config.yaml"], ["configured/config.yaml"]],
  ["written", ["../configured", "a"], ["configured/subgraph.json", "a"]],
  ["configured", ["../written"], ["written/subgraph.yaml"]],
  ["both", ["subgraph.json"], ["both/subgraph.json"]],
  ["both", ["subgraph.yaml"], ["both/subgraph.yaml"]],
  ["settled", [], ["settled/other.yaml"]],
  ["settled", ["specs/data.json"], ["settled/other.yaml", "specs/data.json"]],
  ["settled", ["subgraph.json"], ["settled/subgraph.json"]],
])("in the folder %s, the arguments %j select %j", async (folder, words, expected) => {
  expect(await found(folder, ...words)).toEqual(expected);
});

it("a folder with a configuration and a manifest is refused", async () => {
  await expect(found("both")).rejects.toThrow(/has "subgraph.json" and "subgraph.yaml". Name one of them/);
});
