import { beforeAll, describe, expect, it } from "vitest";
import type { ProjectBuild, ProjectOptions } from "../../../src/compiler/project/build-project.js";
import { buildProject } from "../../../src/machine/compiler/build-project.js";
import { asc } from "../../support/compiler/asc.js";
import { memoryHost } from "../../support/compiler/memory-host.js";

const manifest = `
specVersion: 0.0.5
schema: { file: ./schema.graphql }
dataSources:
  - kind: ethereum
    name: Token
    network: mainnet
    source: { abi: Token, address: "0x41675C099F32341bf84BFc5382aF534df5C7461a" }
    mapping:
      kind: ethereum/events
      apiVersion: 0.0.6
      language: wasm/assemblyscript
      entities: [Sent]
      abis: [{ name: Token, file: ./Token.json }]
      eventHandlers: [{ event: Sent(), handler: handleSent }]
      file: ./mapping.ts
`;
const mapping = `
import { Sent as SentEvent } from "./generated/Token/Token";
import { Sent } from "./generated/schema";
export function handleSent(event: SentEvent): void {
  new Sent(event.transaction.hash.toHexString()).save();
}
`;
const project = {
  "subgraph.yaml": manifest,
  "schema.graphql": "type Sent @entity { id: ID! }",
  "Token.json": '[{"type":"event","name":"Sent","inputs":[]}]',
  "mapping.ts": mapping,
};

function build(
  files: Readonly<Record<string, string>>,
  folder = "",
  options: ProjectOptions = {},
): Promise<ProjectBuild> {
  const placed = Object.entries(project).map(([path, text]) => [folder + path, text]);
  const host = memoryHost({ ...Object.fromEntries(placed), ...files });
  return buildProject(`${folder}subgraph.yaml`, host, { ...options, asc, optimize: "fast" });
}

function messages({ diagnostics }: ProjectBuild): readonly string[] {
  return diagnostics.map(({ message }) => message);
}

const wanted = "@entity of Sent does not say whether entities can change";
const installed = (version: string): Readonly<Record<string, string>> => ({
  "node_modules/@graphprotocol/graph-cli/package.json": JSON.stringify({ version }),
});
const asking = (version: string): string =>
  JSON.stringify({ devDependencies: { "@graphprotocol/graph-cli": version } });

describe("a schema that leaves immutable out", () => {
  it.each([
    ["of a project without graph-cli", {}],
    ["if graph-cli 0.97.0 is installed", installed("0.97.0")],
    ["if package.json asks for graph-cli ^0.98.1", { "package.json": asking("^0.98.1") }],
    [
      "if the installed graph-cli is newer than package.json asks for",
      { ...installed("0.98.1"), "package.json": asking(">=0.60.0") },
    ],
    ["if package.json is faulty", { "package.json": "{" }],
    ["if package.json names no version", { "package.json": asking("latest") }],
  ])("is refused %s", async (_, files) => {
    expect(messages(await build(files))).toEqual([wanted]);
  });

  it.each([
    ["if graph-cli 0.96.0 is installed", installed("0.96.0")],
    ["if package.json asks for graph-cli ^0.64.1", { "package.json": asking("^0.64.1") }],
    ["if package.json asks for graph-cli >=0.60", { "package.json": asking(">=0.60") }],
    [
      "if it is among the dependencies",
      { "package.json": '{"dependencies":{"@graphprotocol/graph-cli":"0.53.0"}}' },
    ],
  ])("is built %s", async (_, files) => {
    const built = await build(files);
    expect(messages(built)).toEqual([]);
    expect(built.ok).toBe(true);
  });

  it("is built for gnd with any installed version of graph-cli", async () => {
    const built = await build(installed("0.98.1"), "", { takesAnyImmutable: true });
    expect([built.ok, messages(built)]).toEqual([true, []]);
  });

  it("is built in a workspace whose package.json asks for an older graph-cli", async () => {
    const built = await build(
      { "package.json": asking("0.60.0"), "packages/token/package.json": '{"name":"token"}' },
      "packages/token/",
    );
    expect(messages(built)).toEqual([]);
  });
});

it.each([
  ["0.64.0", "error", false],
  ["0.63.1", "warning", true],
])("a handler that is missing with graph-cli %s is reported as %s", async (version, severity, ok) => {
  const built = await build({ ...installed(version), "mapping.ts": "export function other(): void {}" });
  expect(built.diagnostics.map((found) => [found.code, found.severity])).toEqual([
    ["project-handler", severity],
  ]);
  expect(built.ok).toBe(ok);
});

describe("the ABIs of a build", () => {
  const inFolder = (path: string): Readonly<Record<string, string>> => ({
    "subgraph.yaml": manifest.replace("./Token.json", path),
    [path]: project["Token.json"],
  });
  it.each([
    ["at their paths before graph-cli 0.79.2", "abis/Token.json", "0.79.1", "Token/abis/Token.json"],
    ["beside the WASM from 0.79.2 on", "abis/Token.json", "0.79.2", "Token/Token.json"],
    [
      "beside the WASM if their paths lead out of the build",
      "../../Token.json",
      "0.79.1",
      "Token/Token.json",
    ],
  ])("are %s", async (_, path, version, placed) => {
    const files = Object.entries({ ...inFolder(path), ...installed(version) });
    const beside = files.map(([name, text]) => [`a/b/${name}`, text]);
    const { ok, files: built } = await build(Object.fromEntries(beside), "a/b/");
    expect(ok).toBe(true);
    expect([...built.keys()]).toContain(placed);
    expect(built.get("subgraph.yaml")).toContain(`file: ${placed}\n`);
  });
});

describe("a graph-ts without Int8", () => {
  let old: Readonly<Record<string, string>>;
  beforeAll(async () => {
    const sources = await memoryHost({}).packageSources("@graphprotocol/graph-ts");
    const without = [...sources].map(([path, text]) => [
      `node_modules/@graphprotocol/graph-ts/${path}`,
      text.replace(/^export type Int8 = i64;?$/m, ""),
    ]);
    old = Object.fromEntries(without);
  });

  it("is compiled with types that do not import it", async () => {
    const built = await build({ ...old, ...installed("0.50.0") });
    expect(messages(built)).toEqual([]);
    expect(built.types.get("schema.ts")).not.toMatch(/\bInt8\b/);
  });
});
