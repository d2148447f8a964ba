import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { sampleBuild } from "../../subgraph/sample-build.js";
import { plant, testFolder } from "../../support/folder.js";
import type { DoubleFault } from "../../support/network/double-server.js";
import type { ProxyFault } from "../../support/network/faulty-proxy.js";
import { freshStatus } from "../../support/server/hosting-double.js";
import { graphloom } from "../harness.js";
import { deployed, useApi } from "../remote/harness.js";
import { graphNode } from "./harness.js";

const api = useApi();

const html = "<html><h1>Sign in</h1></html>";
const deploy = "subgraph deploy pools/1.0.0 --path build --wait none";
const again = "Run the same command again to deploy the rest; what is already deployed stays as it is.\n";

/** An API, and a build in the folder that its commands run in. */
async function project() {
  const all = await api();
  plant(join(all.home, "build"), sampleBuild().files);
  return all;
}

const doneAndRude: readonly ProxyFault[] = [
  { kind: "done", status: 500, text: "{}" },
  { kind: "done", status: 504, text: html },
  { kind: "cut-answer" },
  { kind: "done", status: 201, text: "{" },
  { kind: "done", status: 200, text: html },
];

describe("a deployment to the API", () => {
  it.each(doneAndRude)("finds a deployment that succeeded although the API answered %j", async (fault) => {
    const all = await project();
    all.server.rule((method, path) => (method === "PUT" && path.includes("deployments") ? fault : undefined));
    const { code, out, err } = await all.run(`${deploy} --tag prod`);
    expect([code, err]).toEqual([0, ""]);
    expect(out).toContain("Deployed pools/1.0.0 to ");
    expect(out).toContain("tags        prod");
    expect(all.arrived().filter((line) => line.includes("deployments"))).toHaveLength(1);
  });

  it.each([
    [{ kind: "status", status: 500, text: "{}" }, "pools/1.0.0 was not deployed: ", again],
    [{ kind: "status", status: 504, text: html }, "It is unknown whether pools/1.0.0 was deployed: ", again],
    [{ kind: "cut" }, "It is unknown whether pools/1.0.0 was deployed: ", again],
    [{ kind: "text", text: html }, "It is unknown whether pools/1.0.0 was deployed: ", again],
    [{ kind: "status", status: 400, text: "{}" }, "pools/1.0.0 was not deployed: ", "Bad Request (400)\n"],
    [{ kind: "status", status: 402, text: "{}" }, "pools/1.0.0 was not deployed: ", "Required (402)\n"],
  ] as const)("does not claim a deployment that failed when the API answered %j", async (fault, begin, end) => {
    const all = await project();
    all.server.rule((method) => (method === "PUT" ? fault : undefined));
    const { code, out, err } = await all.run(deploy);
    expect([code, out]).toEqual([3, ""]);
    expect(err.startsWith(begin) && err.endsWith(end)).toBe(true);
    expect(err.includes("again")).toBe(end === again);
  });

  it.each(doneAndRude)("finds a tag that was set although the API answered %j", async (fault) => {
    const all = await project();
    all.server.rule((method, path) => (method === "PUT" && path.includes("/tags/") ? fault : undefined));
    const { code, out, err } = await all.run(`${deploy} --tag prod,next`);
    expect([code, err]).toEqual([0, ""]);
    expect(out).toContain("tags        prod, next");
  });

  it("suggests a retry for a tag that may succeed, but not for a refused one", async () => {
    const all = await project();
    await deployed(all, "pools", "2.0.0");
    const refused = await all.run(`${deploy} --tag 2.0.0`);
    expect([refused.code, refused.err.includes("again")]).toEqual([3, false]);
    all.server.rule((_, path) => (path.includes("prod") ? { kind: "status", status: 503 } : undefined));
    const broken = await all.run(`${deploy} --tag next,prod`);
    expect(broken.err).toMatch(/^It is unknown whether the tag prod points to pools\/1\.0\.0: /m);
    expect(broken.err).toContain("Run the same command again to complete it.");
    all.server.rule(() => undefined);
    expect((await all.run(`${deploy} --tag next,prod`)).code).toBe(0);
    expect((await all.server.tags()).map(({ version }) => version)).toEqual(["next", "prod"]);
  });

  it("repeats a deployment with a graft even when the base has indexed more blocks", async () => {
    const all = await project();
    await deployed(all, "pools", "0.9.0");
    await all.server.status("pools", "0.9.0", { ...freshStatus, headBlock: 700 });
    const grafting = `${deploy} --graft-from pools/0.9.0 --tag prod`;
    all.server.rule((_, path) => (path.includes("prod") ? { kind: "status", status: 503 } : undefined));
    const broken = await all.run(grafting);
    expect(broken.out).toContain("Deployed pools/1.0.0 to ");
    expect(broken.out).toContain("graft       pools/0.9.0 up to block 450\n");
    expect(broken.err).toContain("Run the same command again to complete it.");
    all.server.rule(() => undefined);
    await all.server.status("pools", "0.9.0", { ...freshStatus, headBlock: 900 });
    const repeated = await all.run(grafting);
    expect([repeated.code, repeated.err]).toEqual([0, ""]);
    expect(repeated.out).toContain("pools/1.0.0 is already deployed, unchanged.");
    expect(repeated.out).toContain("graft       pools/0.9.0 up to block 450\n");
    expect(await all.server.tags()).toMatchObject([{ version: "prod", target: "1.0.0" }]);
    const elsewhere = await all.run(`${grafting} --start-block 440`);
    expect([elsewhere.code, elsewhere.err]).toEqual([3, expect.stringContaining("with different content")]);
  });

  it.each([
    "",
    " --start-block 440",
  ])("finds a deployment with a graft%s unchanged when it is repeated", async (block) => {
    const all = await project();
    await deployed(all, "pools", "0.9.0");
    await all.server.status("pools", "0.9.0", { ...freshStatus, headBlock: 700 });
    const grafting = `${deploy} --graft-from pools/0.9.0${block}`;
    const first = await all.run(grafting);
    expect([first.code, first.err]).toEqual([0, ""]);
    const again = await all.run(grafting);
    expect([again.code, again.err]).toEqual([0, ""]);
    expect(again.out).toContain("is already deployed, unchanged.");
    plant(join(all.home, "build"), { "schema.graphql": "type Other @entity { id: ID! }\n" });
    const other = await all.run(grafting);
    expect([other.code, other.err]).toEqual([
      3,
      expect.stringMatching(/already deployed|already exists with a different build/),
    ]);
  });
});

describe("a private deployment", () => {
  const switches = { hasPublicEndpoint: false, hasPrivateEndpoint: true };

  it("deploys and tags without a public endpoint, and prints the private address", async () => {
    const all = await project();
    const { code, out } = await all.run(`${deploy} --private --tag prod`);
    expect(code).toBe(0);
    expect(out).toContain("/api/private/");
    expect(all.arrived().filter((line) => line.startsWith("PATCH"))).toEqual([]);
    expect(await all.server.version("pools", "1.0.0")).toMatchObject(switches);
    expect(await all.server.tags()).toMatchObject([switches]);
  });

  it("closes the public endpoint of an existing version", async () => {
    const all = await project();
    await all.run(deploy);
    expect((await all.run(`${deploy} --private`)).code).toBe(0);
    expect(await all.server.version("pools", "1.0.0")).toMatchObject(switches);
    await all.run("subgraph update pools/1.0.0 --public-endpoint enabled");
    all.server.rule((method) =>
      method === "PATCH" ? { kind: "status", status: 403, text: "{}" } : undefined,
    );
    const refused = await all.run(`${deploy} --private`);
    expect([refused.code, refused.err]).toEqual([
      3,
      expect.stringContaining("pools/1.0.0 still has its public endpoint: "),
    ]);
  });

  it("does not point a public tag to a private version", async () => {
    const all = await project();
    await deployed(all, "pools", "0.9.0");
    await all.run("subgraph tag create pools/0.9.0 --tag prod");
    const refused = await all.run(`${deploy} --private --tag prod`);
    expect(refused.err).toContain("The tag pools/prod has a public endpoint");
    expect(refused.code).not.toBe(0);
    expect(await all.server.versions()).toHaveLength(1);
  });
});

describe("an unchanged version", () => {
  it("updates a changed description once", async () => {
    const all = await project();
    await all.run(`${deploy} --description old`);
    const changed = await all.run(`${deploy} --description new`);
    expect(changed).toMatchObject({ code: 0, err: "" });
    expect(changed.out).toContain("pools/1.0.0 is already deployed, unchanged.\n");
    expect(changed.out).toContain("  about       new\n");
    expect((await all.server.version("pools", "1.0.0")).description).toBe("new");
    all.arrived();
    await all.run(`${deploy} --description new`);
    await all.run(deploy);
    expect(all.arrived().every((line) => line.startsWith("GET"))).toBe(true);
  });

  it("reports a description that could not be changed", async () => {
    const all = await project();
    await all.run(`${deploy} --description old`);
    all.server.rule((method) =>
      method === "PATCH" ? { kind: "status", status: 403, text: "{}" } : undefined,
    );
    const refused = await all.run(`${deploy} --description new`);
    expect([refused.code, refused.err.includes("again")]).toEqual([3, false]);
    expect(refused.err).toContain("The description of pools/1.0.0 was not changed: Forbidden (403)");
    all.server.rule((method) => (method === "PATCH" ? { kind: "cut" } : undefined));
    expect((await all.run(`${deploy} --description new`)).err).toContain(
      "It is unknown whether pools/1.0.0 has its new description: ",
    );
    all.server.rule((method) => (method === "PATCH" ? { kind: "cut-answer" } : undefined));
    expect((await all.run(`${deploy} --description new`)).err).toBe("");
  });

  it("reports a paused version as paused, not as indexing", async () => {
    const all = await project();
    await all.run(deploy);
    await all.server.status("pools", "1.0.0", { ...freshStatus, headBlock: 100 });
    await all.run("subgraph pause pools/1.0.0");
    for (const [goal, code] of [
      ["indexing", 0],
      ["synced", 1],
    ] as const) {
      const ended = await all.run(deploy.replace("none", goal));
      expect(ended.code).toBe(code);
      expect(ended.err).toMatch(
        /^pools\/1\.0\.0: paused at block \d+\. To continue, run: graphloom subgraph start pools\/1\.0\.0\n$/,
      );
    }
  });
});

/** Runs a command in this process, against a graph-node. */
async function withNode() {
  const { node, ipfs } = await graphNode();
  const folder = testFolder();
  plant(join(folder, "build"), sampleBuild().files);
  const addresses = `--graph-node ${node.admin.url} --ipfs ${ipfs.url} --graph-node-status ${node.statusUrl}`;
  return { node, ipfs, run: () => graphloom(folder, `${deploy} ${addresses}`, { env: { HOME: folder } }) };
}

/** Applies a fault to every call of the admin interface that deploys. */
function atDeploy(fault: DoubleFault): (request: { readonly body: Buffer }) => DoubleFault | undefined {
  return ({ body }) => (body.includes("subgraph_deploy") ? fault : undefined);
}

describe("a deployment to a graph-node", () => {
  it.each<DoubleFault>([
    { kind: "done", status: 500, text: "{}" },
    { kind: "done", status: 504, text: html },
    { kind: "cut-answer" },
    { kind: "done", status: 200, text: html },
  ])("finds a deployment that succeeded although the node answered %j", async (fault) => {
    const { node, run } = await withNode();
    node.admin.rule(atDeploy(fault));
    const { code, out, err } = await run();
    expect([code, err]).toEqual([0, ""]);
    expect(out).toContain("Deployed pools/1.0.0 to graph-node at ");
  });

  it.each<DoubleFault>([
    { kind: "status", status: 504, text: html },
    { kind: "cut" },
    { kind: "text", text: "\u001b]0;owned\u0007" },
  ])("does not claim a deployment that failed when the node answered %j", async (fault) => {
    const { node, run } = await withNode();
    node.admin.rule(atDeploy(fault));
    const { code, out, err } = await run();
    expect([code, out]).toEqual([3, ""]);
    expect(err).toMatch(/^It is unknown whether pools\/1\.0\.0 was deployed: /);
    expect(err).not.toContain("\u001b");
    expect(err.endsWith(again)).toBe(true);
  });

  it("reports a deployment as failed when the connection broke before it started", async () => {
    const { ipfs, run } = await withNode();
    ipfs.rule(() => ({ kind: "cut" }));
    const { code, err } = await run();
    expect(code).toBe(3);
    expect(err).toMatch(/^pools\/1\.0\.0 was not deployed: /m);
  });
});
