import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { zipSync } from "fflate";
import { buildClientSchema, buildSchema, printSchema } from "graphql";
import { beforeAll, describe, expect, it } from "vitest";
import { readBuildFolder } from "../../../src/machine/files/build-folder.js";
import { createNodeHost } from "../../../src/machine/files/host.js";
import { linkBuild } from "../../../src/subgraph/deployment/link-build.js";
import { writtenProject } from "../../support/compiler/written-project.js";
import { onPglite } from "../../support/database/databases.js";
import { plant, testFolder, useFolder } from "../../support/folder.js";
import { startFaultyProxy } from "../../support/network/faulty-proxy.js";
import { type IpfsDouble, startIpfsDouble } from "../../support/network/ipfs-double.js";
import { deployForm, startPlatform, type TestPlatform } from "../../support/server/platform-server.js";
import { zipBomb } from "../../support/zip-bomb.js";
import { config, graphloom } from "../harness.js";

const otherAddress = `0x${"0".repeat(38)}b2`;
const networks = JSON.stringify({ sepolia: { Counter: { address: otherAddress, startBlock: 7 } } });
const cwd = useFolder({
  "pools/subgraph.json": config(),
  "counter/networks.json": networks,
  "linked/subgraph.yaml": "dataSources:\n  - mapping: { file: { /: /ipfs/Qm } }\n",
  "notes/notes.txt": "",
  "both/subgraph.json": config(),
  "both/subgraph.yaml": writtenProject()["subgraph.yaml"] ?? "",
  "empty.zip": "",
  "odd.zip": zipSync({ "notes.txt": new Uint8Array(1) }),
  "sources.zip": zipSync({ "subgraph.yaml": Buffer.from(writtenProject()["subgraph.yaml"] ?? "") }),
  "damaged.zip": Buffer.from("PK\x03\x04 and nothing else"),
});
let ipfs: IpfsDouble;
let deployment = "";
let server: TestPlatform;

/** All files below a folder, by path. */
function filesIn(folder: string): Record<string, Uint8Array> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return Object.fromEntries(
    files.map(({ parentPath, name }) => {
      const path = join(parentPath, name);
      return [path.slice(folder.length + 1), readFileSync(path)];
    }),
  );
}

beforeAll(async () => {
  plant(join(cwd, "counter"), writtenProject());
  // The other one has no types in its folder, so that commands make them themselves.
  plant(join(cwd, "made"), writtenProject());
  const built = await graphloom(cwd, "build made --output-dir built");
  expect([built.code, built.err]).toEqual([0, ""]);
  plant(cwd, { "built.zip": zipSync(filesIn(join(cwd, "built"))) });
  const [build] = await readBuildFolder(join(cwd, "built"), createNodeHost({ cwd }));
  if (!build) throw new Error("nothing was built");
  const linked = linkBuild(build);
  ipfs = await startIpfsDouble();
  for (const bytes of build.files.values()) await ipfs.put(bytes);
  deployment = await ipfs.put(linked.manifest);
  expect(deployment).toBe(linked.deploymentId);
  server = await startPlatform(await onPglite().fresh());
  const form = deployForm(readFileSync(join(cwd, "built.zip")));
  const put = await server.ask("/subgraphs/notes/deployments/1.0.0", { method: "PUT", form });
  expect([put.status, put.json.deployments?.[0].deployment_id]).toEqual([201, deployment]);
  await server.ask("/subgraphs/notes/tags/prod", { method: "PUT", body: { target_version: "1.0.0" } });
  return async () => {
    await ipfs.stop();
    await server.close();
  };
});

const files = ["counter", "counter/subgraph.yaml", "built", "built/subgraph.yaml", "built.zip"];
const words = [...files, "Qm…", "notes/1.0.0", "notes/prod"];

let deployed = 0;

/** Runs a command on a word, with the gateway of the test if it is a deployment. */
function on(command: string, word: string, options = ""): ReturnType<typeof graphloom> {
  const isDeployment = word === "Qm…";
  const gateway = isDeployment && !command.startsWith("subgraph deploy") ? `--ipfs ${ipfs.url}` : "";
  const env = { GRAPHLOOM_API_URL: server.url, GRAPHLOOM_TOKEN: server.token };
  return graphloom(cwd, `${command} ${isDeployment ? deployment : word} ${options} ${gateway}`, { env });
}

describe("a subgraph in any form", () => {
  it.each(words)("is checked: %s", async (word) => {
    const { code, out, err } = await on("check", word);
    expect([code, err]).toEqual([0, ""]);
    expect(out).toContain(" is fine:\n");
    expect(out).toContain("  mainnet   1 data source\n  entities  1: Note\n");
  });

  it.each(words)("is drawn: %s", async (word) => {
    const { code, out, err } = await on("map", word, "--format mermaid --fields");
    expect([code, err]).toEqual([0, ""]);
    expect(out).toContain("Counted(");
    expect(out).toContain("value");
  });

  it.each(words)("prints the schemas of a subgraph and of its API: %s", async (word) => {
    const own = await on("schema", word);
    expect([own.code, own.err]).toEqual([0, ""]);
    expect(own.out).toBe(readFileSync(join(cwd, "counter/schema.graphql"), "utf8"));
    const api = await on("schema", word, "--api");
    expect([api.code, api.err]).toEqual([0, ""]);
    expect(Object.keys(buildSchema(api.out).getQueryType()?.getFields() ?? {})).toContain("notes");
    const json = await on("schema", word, "--introspection");
    expect([json.code, json.err]).toEqual([0, ""]);
    expect(printSchema(buildClientSchema(JSON.parse(json.out)))).toContain("input Note_filter");
  });

  it.each(words)("is compared: %s", async (word) => {
    const { code, out, err } = await on("diff counter", word);
    expect([code, err]).toEqual([0, ""]);
    expect(out).toContain("Nothing changes.\n");
  });

  it.each([...words, "pools"])("is deployed: %s", async (word) => {
    const name = `copy/1.0.${deployed++}`;
    const gateway = `--ipfs-gateway ${ipfs.url}`;
    const { code, out, err } = await on(`subgraph deploy ${name}`, word, `--wait none ${gateway}`);
    expect([code, err]).toEqual([0, expect.any(String)]);
    expect(out).toContain(`Deployed ${name} to `);
  });

  it("is a configuration by its folder", async () => {
    const { code, out } = await on("check", "pools");
    expect([code, out]).toEqual([0, expect.stringContaining("pools/subgraph.json is fine:\n")]);
  });

  it("is built for a network of networks.json, which stays unchanged", async () => {
    const { code, out } = await on("map", "counter", "--network sepolia --format mermaid");
    expect(code).toBe(0);
    expect(out).toContain("sepolia");
    expect(readFileSync(join(cwd, "counter/subgraph.yaml"), "utf8")).toContain("network: mainnet");
    expect(readdirSync(join(cwd, "counter"))).not.toContain("generated");
  });

  it("shows mistakes in a mapping at their place", async () => {
    plant(join(cwd, "faulty"), writtenProject({ value: "event.params.numbr" }));
    const { code, out, err } = await on("check", "faulty");
    expect([code, out]).toEqual([1, ""]);
    expect(err).toMatch(/src\/counter\.ts:6:\d+/);
  });
});

it("codegen and build leave only what graph-cli leaves, and remove what they no longer make", async () => {
  const folder = testFolder(writtenProject());
  const env = { GRAPHLOOM_CACHE: testFolder() };
  const types = () => Object.keys(filesIn(join(folder, "generated"))).sort();
  expect((await graphloom(folder, "build", { env })).code).toBe(0);
  expect(types()).toEqual(["Counter/Counter.ts", "schema.ts"]);
  expect(Object.keys(filesIn(join(folder, "build"))).filter((path) => path.startsWith("."))).toEqual([]);
  const manifest = writtenProject()["subgraph.yaml"]?.replace("name: Counter", "name: Meter") ?? "";
  plant(folder, { "subgraph.yaml": manifest });
  expect((await graphloom(folder, "codegen", { env })).code).toBe(0);
  expect(types()).toEqual(["Meter/Counter.ts", "schema.ts"]);
  // Some projects generate the types of several manifests into one folder.
  plant(folder, { "other.yaml": writtenProject()["subgraph.yaml"] ?? "" });
  expect((await graphloom(folder, "codegen other.yaml", { env })).code).toBe(0);
  expect(types()).toEqual(["Counter/Counter.ts", "Meter/Counter.ts", "schema.ts"]);
});

describe("a word that names no subgraph to run", () => {
  it.each([
    ["notes", 2, '"notes" is a folder without a subgraph'],
    ["linked", 1, "subgraph.yaml"],
    ["odd.zip", 1, '"odd.zip" is a zip without a subgraph.yaml. Zip the folder of a build.'],
    [
      "sources.zip",
      1,
      '"sources.zip" is a zip of a subgraph that is not built. Unpack it, and name its folder.',
    ],
    ["damaged.zip", 1, "zip"],
    [
      "pools/2.0.0",
      2,
      'There is no file or folder "pools/2.0.0", and no server to ask for a version: No API to talk to.',
    ],
    [
      "pools --network sepolia",
      2,
      "--network is for a subgraph.yaml with mappings: a configuration names its chains itself.",
    ],
    ["built --network sepolia", 2, "a build has its addresses"],
    ["counter --network holesky", 1, 'has no network "holesky"'],
    ["counter --fix", 2, "--fix changes a configuration, and this subgraph is none."],
  ])("is refused: %s", async (word, code, message) => {
    const refused = await graphloom(cwd, `check ${word}`);
    expect([refused.code, refused.out]).toEqual([code, ""]);
    expect(refused.err).toContain(message);
  });

  const commands = [
    "check",
    "dev",
    "run",
    "plan",
    "map",
    "schema",
    "diff counter",
    "subgraph deploy notes/9",
  ];
  const refused = [
    [
      "notes",
      '"notes" is a folder without a subgraph',
      "Name a configuration, a subgraph.yaml or its folder",
    ],
    ["no-such", 'There is no file or folder "no-such".', "A subgraph on a server needs a version"],
    ["both", '"both" has "subgraph.json" and "subgraph.yaml".', "Name one of them."],
    ["notes/2.0.0", 'There is no file or folder "notes/2.0.0"', "Name a configuration"],
    ["built --network sepolia", "a build has its addresses", "Leave out --network."],
  ] as const;
  it.each(
    commands.flatMap((command) => refused.map((row) => [command, ...row] as const)),
  )("%s refuses it, and says what it found and what would work: %s", async (command, word, found, advice) => {
    const { code, out, err } = await on(command, word);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toContain(found);
    expect(err).toContain(advice);
  });

  it.each([
    [
      "pools",
      '"pools" is a configuration, not a subgraph to build.',
      "graphloom compile pools/subgraph.json",
    ],
    [
      "pools/none.json",
      'There is no file or folder "pools/none.json".',
      "Name a subgraph.yaml with mappings",
    ],
    ["notes", '"notes" is a folder without a subgraph', "Name a subgraph.yaml with mappings, or its folder."],
    ["no-such", 'There is no file or folder "no-such".\nName a subgraph.yaml with mappings'],
    ["empty.zip", '"empty.zip" is an empty file', "Name a subgraph.yaml with mappings, or its folder."],
    ["built.zip", '"built.zip" is the zip of a build', "graphloom dev built.zip"],
    ["Qm…", "is the id of a deployment, not a subgraph to build.", "graphloom dev Qm"],
    ["notes/1.0.0", '"notes/1.0.0" is a version on a server', "graphloom dev notes/1.0.0"],
  ])("build and codegen refuse it, and say what they found and what would work: %s", async (word, ...said) => {
    for (const command of ["build", "codegen"]) {
      const { code, out, err } = await graphloom(cwd, `${command} ${word === "Qm…" ? deployment : word}`);
      expect([code, out]).toEqual([2, ""]);
      for (const text of said) expect(err).toContain(text);
    }
    expect((await graphloom(cwd, "codegen both --output-dir types")).code).toBe(1);
  });

  it.each([
    ["built.zip", "is the zip of a build, which has no tests."],
    ["built", '"built" is a build, which has no tests.'],
    ["Qm…", "is the id of a deployment, which has no tests."],
    ["https://example.com/gn", '"https://example.com/gn" is an endpoint, which has no tests.'],
    ["none.json", 'There is no file or folder "none.json".'],
    ["no-such", 'There is no file or folder "no-such".'],
    ["notes/1.0.0", 'There is no file or folder "notes/1.0.0", and a version on a server has no tests.'],
  ])("test refuses it, and says what it found and what would work: %s", async (word, found) => {
    const { code, out, err } = await graphloom(cwd, `test ${word === "Qm…" ? deployment : word}`);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toContain(found);
    expect(err).toMatch(/Name (?:the folder of )?a subgraph\.yaml with mappings.*: graphloom test <folder>/);
  });

  it("is refused if the server does not have the version, or does not offer builds", async () => {
    const unknown = await on("check", "notes/2.0.0");
    expect([unknown.code, unknown.out]).toEqual([2, ""]);
    expect(unknown.err).toContain(
      `There is no file or folder "notes/2.0.0", and the server at ${server.url} has no such version.`,
    );
    const old = await startFaultyProxy(server.address);
    old.rule((_, path) => (path.endsWith("/build") ? { kind: "status", status: 404, text: "" } : undefined));
    const url = `${old.origin}/api/v1`;
    const env = { GRAPHLOOM_API_URL: url, GRAPHLOOM_TOKEN: server.token };
    const without = await graphloom(cwd, "check notes/1.0.0", { env });
    await old.stop();
    expect([without.code, without.err]).toEqual([
      1,
      `The server at ${url} hands out no builds. Name the deployment by its id: ${deployment}\n`,
    ]);
  });

  it("is refused if its zip unpacks to more than the limit", async () => {
    plant(cwd, { "bomb.zip": zipBomb("subgraph.yaml", 100_000_001) });
    const { code, err } = await graphloom(cwd, "check bomb.zip");
    expect([code, err]).toEqual([1, "The zip unpacks to more than 100,000,000 bytes\n"]);
  });
});
