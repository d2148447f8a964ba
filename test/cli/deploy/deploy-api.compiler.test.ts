import { copyFileSync, cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { unzipSync } from "fflate";
import { beforeAll, describe, expect, it } from "vitest";
import { configExcerpts, readConfigPlaces } from "../../../src/subgraph/config-places.js";
import { examples } from "../../support/compiler/examples.js";
import { useFolder } from "../../support/folder.js";
import { freshStatus } from "../../support/server/hosting-double.js";
import type { ReceivedRequest } from "../../support/server/received-request.js";
import { type Api, deployed, inProcess, useApi } from "../remote/harness.js";
import { onceDeployed, synced, useDeployApi } from "./harness.js";

const realApi = useDeployApi();
const api = useApi();

const nouns = join(examples, "nouns/subgraph.json");
const usdc = join(examples, "erc20-multichain/subgraph.json");

function zipped(bytes: Uint8Array | undefined): readonly string[] {
  return Object.keys(unzipSync(bytes ?? new Uint8Array())).sort();
}

/** The last request for a deployment that the server received. */
function sentTo({ server }: Api): ReceivedRequest | undefined {
  return server.received.findLast(({ method, path }) => method === "PUT" && path.includes("/deployments/"));
}

describe("subgraph deploy --from-abi", () => {
  it("builds, uploads, tags, and waits until the version indexes", async () => {
    const all = await realApi();
    onceDeployed(all, synced);
    const { code, out, err } = await all.run(
      `subgraph deploy nouns/1.0.0 --from-abi ${nouns} --tag prod,next`,
    );
    expect(code).toBe(0);
    expect(all.arrived().slice(0, 4)).toEqual([
      "GET /subgraphs/nouns/1.0.0",
      "PUT /subgraphs/nouns/deployments/1.0.0",
      "PUT /subgraphs/nouns/tags/prod",
      "PUT /subgraphs/nouns/tags/next",
    ]);
    const { deployment } = await all.server.version("nouns", "1.0.0");
    const queries = out.split("queries     ")[1]?.split("\n")[0] ?? "";
    expect(out).toBe(
      `Deployed nouns/1.0.0 to the API at ${all.server.url}.\n` +
        `  deployment  ${deployment}\n` +
        `  queries     ${queries}\n` +
        `  dashboard   ${new URL(queries).origin}/dashboard/nouns/1.0.0\n` +
        "  tags        prod, next\n",
    );
    expect(out).toContain("/subgraphs/nouns/1.0.0/gn");
    expect(err).toBe("nouns/1.0.0: synced at block 1100\n");
  });

  it("names the versions that share the deployment because their content is the same", async () => {
    const all = await realApi();
    const line = `--from-abi ${nouns} --wait none`;
    expect((await all.run(`subgraph deploy nouns/1.0.0 ${line}`)).out).not.toContain("same as");
    const { code, out } = await all.run(`subgraph deploy nouns/1.0.1 ${line}`);
    expect([code, out.split("\n")[2]]).toEqual([0, "  same as     nouns/1.0.0 (they share one deployment)"]);
    const again = await all.run(`subgraph deploy nouns/1.0.1 ${line} --output json`);
    expect(JSON.parse(again.out)).toMatchObject([
      { state: "unchanged", shares_deployment_with: ["nouns/1.0.0"] },
    ]);
  });

  it("reports a deployment as failed when its handlers fail at once", async () => {
    const all = await realApi();
    const line = `subgraph deploy nouns/1.0.0 --from-abi ${nouns}`;
    await all.run(`${line} --wait none`);
    const fatalError = { message: "it aborted", block: 101 };
    const begun = { ...freshStatus, headBlock: 100 };
    await all.server.status("nouns", "1.0.0", begun);
    onceDeployed(all, { ...begun, health: "failed", fatalError });
    const { code, out, err } = await all.run(line);
    expect([code, err]).toEqual([1, "nouns/1.0.0 failed: at block 101: it aborted\n"]);
    expect(out).toContain("nouns/1.0.0 is already deployed, unchanged; indexing has failed.\n");
  });

  it("sends the output of graph build with the places and the map, always in the same bytes", async () => {
    const all = await realApi();
    for (const version of ["1.0.0", "1.0.1"])
      await all.run(`subgraph deploy nouns/${version} --from-abi ${nouns} --wait none`);
    const [first, second] = all.server.received.flatMap(({ files }) => (files?.bundle ? [files.bundle] : []));
    expect(first).toMatchObject({ contentType: "application/zip" });
    expect(zipped(first?.bytes)).toEqual([
      "NounsToken/NounsToken.json",
      "NounsToken/NounsToken.wasm",
      "graphloom.map.json",
      "graphloom.places.json",
      "schema.graphql",
      "subgraph.yaml",
    ]);
    expect(Buffer.compare(first?.bytes ?? Buffer.of(), second?.bytes ?? Buffer.of())).toBe(0);
    // A page quotes the lines of the configuration as they are, with whole expressions marked.
    const sent = unzipSync(first?.bytes ?? Buffer.of())["graphloom.places.json"] ?? "";
    const places = readConfigPlaces(sent);
    const quoted = [...places.handlers.keys()].flatMap((handler) =>
      configExcerpts(places, undefined, handler),
    );
    expect(quoted.length).toBeGreaterThan(0);
    const lines = readFileSync(nouns, "utf8").split("\n");
    for (const { line, column, before, marked, after } of quoted) {
      expect(lines[line - 1]).toContain(before + marked + after);
      expect(lines[line - 1]?.slice(column - 1)).toMatch(new RegExp(`^.{${marked.length}}"`));
    }
  });

  it.each([
    ["--description hello", { description: "hello" }],
    ["--start-block 20000000", { start_block: "20000000" }],
    ["--remove-graft", { remove_graft: "1" }],
  ])("sends %s to the API", async (option, fields) => {
    const all = await realApi();
    await all.run(`subgraph deploy nouns/1.0.0 --from-abi ${nouns} --wait none ${option}`);
    expect(sentTo(all)?.fields).toMatchObject(fields);
  });

  it("--graft-from names the base version of a graft, and --start-block its block", async () => {
    const all = await realApi();
    await all.run(`subgraph deploy nouns/1.0.0 --from-abi ${nouns} --wait none`);
    await all.server.status("nouns", "1.0.0", { ...freshStatus, headBlock: 21_000_000 });
    const line = "--graft-from nouns/1.0.0 --start-block 20000000 --wait none";
    const { code } = await all.run(`subgraph deploy nouns/1.1.0 --from-abi ${nouns} ${line}`);
    expect(code).toBe(0);
    expect(sentTo(all)?.fields).toMatchObject({
      graft_from: "nouns/1.0.0",
      start_block: "20000000",
    });
  });

  it("--enable-call-handlers adds call handlers", async () => {
    const all = await realApi();
    await all.run(`subgraph deploy nouns/1.0.0 --from-abi ${nouns} --enable-call-handlers --wait none`);
    const { bytes } = sentTo(all)?.files?.bundle ?? {};
    const manifest = new TextDecoder().decode(unzipSync(bytes ?? new Uint8Array())["subgraph.yaml"]);
    expect(manifest).toContain("callHandlers:");
  });

  it("shows the errors in the configuration and sends nothing", async () => {
    const all = await realApi();
    const broken = join(all.home, "broken.json");
    mkdirSync(join(all.home, "abis"));
    copyFileSync(join(examples, "nouns/abis/NounsToken.json"), join(all.home, "abis/NounsToken.json"));
    writeFileSync(broken, readFileSync(nouns, "utf8").replace('"startBlock"', '"startblock"'));
    const { code, err } = await all.run(`subgraph deploy nouns/1.0.0 --from-abi ${broken}`);
    expect(code).toBe(1);
    expect(err).toContain("error[unknown-key]");
    expect(all.arrived()).toEqual([]);
  });
});

it("the deployment does not retry an upload that was cut off", async () => {
  const all = await realApi();
  all.server.rule((method) => (method === "PUT" ? { kind: "cut-upload", after: 2_000 } : undefined));
  const { code, err } = await all.run(`subgraph deploy nouns/1.0.0 --from-abi ${nouns} --wait none`);
  expect(code).toBe(3);
  expect(err).toContain("It is unknown whether nouns/1.0.0 was deployed");
  expect(all.arrived().filter((line) => line.startsWith("PUT"))).toHaveLength(1);
});

describe("subgraph deploy with several chains", () => {
  const names = ["usdc-mainnet", "usdc-base", "usdc-arbitrum-one"];
  const deploy = `subgraph deploy usdc/1.0.0 --from-abi ${usdc} --wait none`;

  it("deploys one subgraph for each chain", async () => {
    const all = await realApi();
    const { code } = await all.run(`${deploy} --tag prod`);
    expect(code).toBe(0);
    const uploads = all.arrived().filter((line) => line.includes("deployments"));
    expect(uploads).toEqual(names.map((name) => `PUT /subgraphs/${name}/deployments/1.0.0`));
    expect((await all.server.versions()).map(({ name }) => name)).toEqual(names.toSorted());
    expect((await all.server.tags()).map(({ name, target }) => `${name} ${target}`)).toEqual(
      names.toSorted().map((name) => `${name} 1.0.0`),
    );
  });

  it.each([
    ["refused", true, { kind: "status", status: 500, text: "{}" }],
    ["cut off in the upload", false, { kind: "cut-upload", after: 1000 }],
  ] as const)("completes all three chains without duplicates when repeated after the second was %s", async (_, isKnown, fault) => {
    const all = await realApi();
    let isDown = true;
    all.server.rule((method, path) =>
      isDown && method === "PUT" && path.includes("usdc-base") ? fault : undefined,
    );
    const first = await all.run(deploy);
    expect(first.code).toBe(3);
    expect(first.out).toContain("Deployed usdc-mainnet/1.0.0 to ");
    expect(first.err).toContain(
      isKnown ? "usdc-base/1.0.0 was not deployed: " : "It is unknown whether usdc-base/1.0.0 was deployed: ",
    );
    expect(first.err).toContain(
      isKnown
        ? "Deployed: usdc-mainnet/1.0.0.\nNot deployed: usdc-base/1.0.0, usdc-arbitrum-one/1.0.0.\n"
        : "Deployed: usdc-mainnet/1.0.0.\nUnknown: usdc-base/1.0.0.\nNot deployed: usdc-arbitrum-one/1.0.0.\n",
    );
    expect(first.err).toContain("Run the same command again");
    isDown = false;
    const second = await all.run(deploy);
    expect(second.code).toBe(0);
    expect(second.out).toContain("usdc-mainnet/1.0.0 is already deployed, unchanged.");
    expect((await all.server.versions()).map(({ name, version }) => `${name}/${version}`)).toEqual(
      names.toSorted().map((name) => `${name}/1.0.0`),
    );
  });

  it("continues with the third chain when the answer for the second was cut off", async () => {
    const all = await realApi();
    all.server.rule((method, path) =>
      method === "PUT" && path.includes("usdc-base") ? { kind: "cut-answer" } : undefined,
    );
    const { code, err } = await all.run(deploy);
    expect([code, err]).toEqual([0, ""]);
    expect((await all.server.versions()).map(({ name }) => name)).toEqual(names.toSorted());
  });

  it("deploys nothing when one of the versions exists with different content", async () => {
    const all = await realApi();
    await deployed(all, "usdc-base", "1.0.0");
    const { code, err } = await all.run(deploy);
    expect(code).toBe(3);
    expect(err).toContain("usdc-base/1.0.0 is already deployed, with different content");
    expect(err).toContain("Nothing was deployed.");
    expect(await all.server.versions()).toHaveLength(1);
    expect((await all.run(`${deploy} --skip-deployed`)).code).toBe(0);
    expect((await all.server.versions()).map(({ name }) => name)).toEqual(names.toSorted());
  });

  it("grafts each chain onto the subgraph of that chain", async () => {
    const all = await realApi();
    await all.run(deploy);
    for (const name of names)
      await all.server.status(name, "1.0.0", { ...freshStatus, headBlock: 400_000_000 });
    const { code } = await all.run(
      `subgraph deploy usdc/1.1.0 --from-abi ${usdc} --wait none --graft-from usdc/1.0.0 --start-block 40000000`,
    );
    expect(code).toBe(0);
    const bases = all.server.received.flatMap(({ fields }) =>
      fields?.graft_from ? [fields.graft_from] : [],
    );
    expect(bases).toEqual(names.map((name) => `${name}/1.0.0`));
  });

  it("--output json reports the result of each chain", async () => {
    const all = await realApi();
    const { out } = await all.run(`${deploy} --output json`);
    expect(JSON.parse(out)).toMatchObject(
      names.map((name) => ({ name, version: "1.0.0", chain: name.slice(5), state: "deployed", tags: [] })),
    );
  });
});

describe("subgraph deploy --path", () => {
  const built = useFolder();
  beforeAll(async () => {
    for (const [name, config] of [
      ["nouns", nouns],
      ["usdc", usdc],
    ] as const) {
      const target = join(built, name);
      const line = `subgraph init ${name}/1.0.0 --from-config ${config} --target-path ${target} --build`;
      await inProcess(line, { cwd: built, env: { HOME: built } });
    }
  });

  it.each([
    ["nouns", "the project"],
    ["nouns/build", "its build"],
    ["nouns/build/subgraph.yaml", "the manifest"],
  ])("deploys the build in %s: %s", async (path) => {
    const all = await realApi();
    const { code, out } = await all.run(
      `subgraph deploy nouns/1.0.0 --path ${join(built, path)} --wait none`,
    );
    expect(code).toBe(0);
    expect(out).toContain("Deployed nouns/1.0.0 to ");
  });

  it("--path defaults to the current folder, and gives the same id as the configuration", async () => {
    const all = await realApi();
    await all.run("subgraph deploy nouns/1.0.0 --wait none", { cwd: join(built, "nouns") });
    const { out } = await all.run(`subgraph deploy nouns/1.0.0 --from-abi ${nouns} --wait none`);
    expect(out).toContain("nouns/1.0.0 is already deployed, unchanged.");
  });

  it("--path deploys each chain of a project with several", async () => {
    const all = await realApi();
    await all.run(`subgraph deploy usdc/1.0.0 --path ${join(built, "usdc")} --wait none`);
    expect((await all.server.versions()).map(({ name }) => name)).toEqual([
      "usdc-arbitrum-one",
      "usdc-base",
      "usdc-mainnet",
    ]);
  });

  it("distinguishes a project without a build from a folder that is not a project", async () => {
    const all = await realApi();
    const project = join(all.home, "project");
    cpSync(join(built, "nouns"), project, { recursive: true, filter: (path) => !path.endsWith("/build") });
    const unbuilt = await all.run(`subgraph deploy nouns/1.0.0 --path ${project}`);
    expect([unbuilt.code, unbuilt.out]).toEqual([1, ""]);
    expect(unbuilt.err).toContain("build the project first");
    const nothing = join(all.home, "nothing");
    mkdirSync(nothing);
    const empty = await all.run("subgraph deploy nouns/1.0.0", { cwd: nothing });
    expect(empty.code).toBe(1);
    expect(empty.err).toContain("contains no build of a subgraph");
    expect(all.arrived()).toEqual([]);
  });

  it("does not treat folders of other subgraphs as chains", async () => {
    const all = await realApi();
    const folder = join(all.home, "all");
    for (const name of ["nouns", "other"])
      cpSync(join(built, "nouns/build"), join(folder, name), { recursive: true });
    const { code, err } = await all.run(`subgraph deploy nouns/1.0.0 --path ${folder}`);
    expect(code).toBe(1);
    expect(err).toContain(
      'contains builds in folders that are not named after their chains ("nouns", "other")',
    );
    expect(all.arrived()).toEqual([]);
  });
});

describe("an invalid command line", () => {
  it.each([
    ["nouns", "Specify a version"],
    ["1/1 --path .", "is not a subgraph name"],
    ["nouns/1 --path . --from-abi x.json", "--path and --from-abi cannot be combined"],
    ["nouns/1 --from-url https://a --from-ipfs-hash Qm", "cannot be combined"],
    ["nouns/1 --path . --enable-call-handlers", "requires a configuration"],
    ["nouns/1 --remove-graft --graft-from a/1", "cannot be combined"],
    ["nouns/1 --graft-from a", "Specify a version"],
    ["nouns/1 --start-block 1.5", "whole number"],
    ["nouns/1 --start-block -1", "whole number"],
    ["nouns/1 --tag ../a", "is not a valid tag"],
    ["nouns/1 --graph-node http://a", "requires both"],
    ["nouns/1 --graph-node-status http://a", "requires --graph-node"],
    ["nouns/1 --graph-node a --ipfs http://b", "--graph-node must be an address"],
    ["nouns/1 --from-url nowhere", "--from-url must be the address"],
    [`nouns/1 --description ${"x".repeat(501)}`, "501 characters"],
  ])("rejects subgraph deploy %s", async (line, message) => {
    const all = await api();
    const { code, err } = await all.run(`subgraph deploy ${line}`);
    expect(code).toBe(2);
    expect(err).toContain(message);
    expect(all.arrived()).toEqual([]);
  });
});
