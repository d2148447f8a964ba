import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { examples } from "../../support/compiler/examples.js";
import { graphNode, useDeployApi } from "./harness.js";

const realApi = useDeployApi();

const nouns = join(examples, "nouns/subgraph.json");
const usdc = join(examples, "erc20-multichain/subgraph.json");
const deploy = `subgraph deploy nouns/1.0.0 --from-abi ${nouns}`;

describe("subgraph deploy --graph-node", () => {
  it("adds and pins every file, creates the name, deploys, and waits until the version indexes", async () => {
    const { run, node, ipfs } = await graphNode();
    const { code, out, err } = await run(deploy);
    expect(code).toBe(0);
    expect(node.calls.map(({ method }) => method)).toEqual(["subgraph_create", "subgraph_deploy"]);
    const [id = ""] = node.subgraphs.get("nouns/v1-0-0") ?? [];
    expect(node.calls[1]?.params).toMatchObject({ name: "nouns/v1-0-0", ipfs_hash: id });
    expect(ipfs.added.map(({ filename }) => filename)).toEqual([
      "NounsToken.json",
      "NounsToken.wasm",
      "schema.graphql",
      "subgraph.yaml",
    ]);
    expect([...ipfs.pinned].sort()).toEqual([...ipfs.held.keys()].sort());
    expect(out).toContain(`deployment  ${id}\n`);
    expect(out).toContain("http://127.0.0.1:8000/subgraphs/name/nouns/v1-0-0");
    expect(err).toMatch(/nouns\/1\.0\.0: (catching up, block \d+ of \d+|synced at block \d+)\n$/);
  });

  it("gives a deployment the id that the API computes", async () => {
    const [{ run, node }, all] = [await graphNode(), await realApi()];
    await run(`${deploy} --wait none`);
    await all.run(`${deploy} --wait none`);
    expect(node.subgraphs.get("nouns/v1-0-0")).toEqual([
      (await all.server.version("nouns", "1.0.0")).deployment,
    ]);
  });

  it("keeps an unchanged deployment, and replaces a different one", async () => {
    const { run, node } = await graphNode();
    await run(`${deploy} --wait none`);
    expect((await run(`${deploy} --wait none`)).out).toContain("is already deployed, unchanged.");
    expect(node.subgraphs.get("nouns/v1-0-0")).toHaveLength(1);
    expect((await run(`${deploy} --start-block 20000000 --wait none`)).out).toContain("Deployed nouns/1.0.0");
    expect(node.subgraphs.get("nouns/v1-0-0")).toHaveLength(2);
  });

  it("--tag adds a name for the deployment, and moves with the next one", async () => {
    const { run, node } = await graphNode();
    await run(`${deploy} --tag prod --wait none`);
    const first = node.subgraphs.get("nouns/v1-0-0")?.at(-1);
    expect(node.subgraphs.get("nouns/prod")).toEqual([first]);
    await run(
      `subgraph deploy nouns/1.1.0 --from-abi ${nouns} --start-block 20000000 --tag prod --wait none`,
    );
    const second = node.subgraphs.get("nouns/v1-1-0")?.at(-1);
    expect(second).not.toBe(first);
    expect(node.subgraphs.get("nouns/prod")?.at(-1)).toBe(second);
  });

  it.each([
    ["--start-block 20000000", /startBlock: 20000000/],
    ["--description hello", /^description: hello$/m],
  ])("%s changes the manifest", async (option, expected) => {
    const { run, ipfs } = await graphNode();
    await run(`${deploy} ${option} --wait none`);
    const manifest = new TextDecoder().decode(ipfs.added.at(-1)?.bytes);
    expect(manifest).toMatch(expected);
  });

  it("--graft-from writes the graft, and --remove-graft removes it", async () => {
    const { run, ipfs, node, home } = await graphNode();
    await run(`${deploy} --wait none`);
    const base = node.subgraphs.get("nouns/v1-0-0")?.at(-1) ?? "";
    node.set(base, { block: 25_000_000 });
    const grafted = await run(
      `subgraph deploy nouns/1.1.0 --from-abi ${nouns} --graft-from nouns/1.0.0 --start-block 20000000 --wait none`,
    );
    expect([grafted.code, grafted.err]).toEqual([0, ""]);
    const manifest = new TextDecoder().decode(ipfs.added.at(-1)?.bytes);
    expect(manifest).toContain(`graft:\n  base: ${base}\n  block: 20000000\n`);
    expect(manifest).toContain("- grafting");
    const id = node.subgraphs.get("nouns/v1-1-0")?.at(-1);
    const again = await run(
      `subgraph deploy nouns/1.2.0 --from-ipfs-hash ${id} --ipfs-gateway ${ipfs.url} --remove-graft --wait none`,
    );
    expect([again.code, home]).toEqual([0, home]);
    expect(new TextDecoder().decode(ipfs.added.at(-1)?.bytes)).not.toContain("graft");
  });

  it("reports why the node refuses a deployment", async () => {
    const { run } = await graphNode(["base"]);
    const { code, err } = await run(deploy);
    expect(code).toBe(3);
    expect(err).toContain("nouns/1.0.0 was not deployed");
    expect(err).toContain("mainnet");
  });

  it("--output json prints one document that contains the errors", async () => {
    const { run } = await graphNode(["base"]);
    const { code, out } = await run(`${deploy} --format json --output json`);
    expect(code).toBe(3);
    expect(JSON.parse(out)).toMatchObject([
      { name: "nouns", state: "failed", error: expect.stringContaining("network not supported") },
    ]);
    const well = await graphNode();
    for (const options of ["--format json", "--output json", "--format json --output json"]) {
      const ended = await well.run(`${deploy} ${options} --wait none`);
      expect([ended.code, typeof JSON.parse(ended.out)]).toEqual([0, "object"]);
    }
  });

  it("detects an IPFS node that returns wrong content", async () => {
    const { run, ipfs, node } = await graphNode();
    ipfs.misname(() => "QmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQH");
    const { code, err } = await run(deploy);
    expect(code).toBe(3);
    expect(err).toContain("QmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQH");
    expect(node.calls).toEqual([]);
  });

  it("--wait reports why a deployment fails", async () => {
    const { run, node } = await graphNode();
    await run(`${deploy} --wait none`);
    const id = node.subgraphs.get("nouns/v1-0-0")?.at(-1) ?? "";
    node.set(id, { fatal: { message: "transaction 0xab: \u001b[31moverflow", deterministic: true } });
    const { code, err } = await run(`${deploy} --wait synced`);
    expect(code).toBe(1);
    expect(err).toContain("nouns/1.0.0 failed: transaction 0xab: \\u001b[31moverflow");
  });

  it("--wait shows where in the configuration a handler failed", async () => {
    const { run, node } = await graphNode();
    await run(`${deploy} --wait none`);
    const id = node.subgraphs.get("nouns/v1-0-0")?.at(-1) ?? "";
    const message =
      "unexpected null wasm backtrace: 0: 0x2d00 - <unknown>!src/nouns-token/handleNounsTokenNounCreatedEnriched";
    node.set(id, { fatal: { message, deterministic: true } });
    const { code, err } = await run(`${deploy} --wait synced`);
    expect(code).toBe(1);
    expect(err).toContain("error[handler-failed]: the handler handleNounsTokenNounCreatedEnriched failed");
    expect(err).toContain("nouns/1.0.0 has stopped indexing");
  });

  it("--wait synced waits until the version is synced", async () => {
    const { run } = await graphNode();
    const { code, err } = await run(`${deploy} --wait synced`);
    expect(code).toBe(0);
    expect(err).toMatch(/nouns\/1\.0\.0: synced at block \d+\n$/);
  });

  it("deploys each chain, and completes the rest when repeated", async () => {
    const { run, node } = await graphNode(["mainnet", "arbitrum-one"]);
    const line = `subgraph deploy usdc/1.0.0 --from-abi ${usdc} --wait none`;
    const first = await run(line);
    expect(first.code).toBe(3);
    expect(first.err).toContain("Not deployed: usdc-base/1.0.0, usdc-arbitrum-one/1.0.0.");
    expect(node.subgraphs.get("usdc-mainnet/v1-0-0")).toHaveLength(1);
    const second = await run(line);
    expect(second.out).toContain("usdc-mainnet/1.0.0 is already deployed, unchanged.");
    expect(node.subgraphs.get("usdc-mainnet/v1-0-0")).toHaveLength(1);
  });
});

describe("subgraph deploy from another deployment", () => {
  it("--from-ipfs-hash deploys with the same id", async () => {
    const { run, node, ipfs } = await graphNode();
    await run(`${deploy} --wait none`);
    const id = node.subgraphs.get("nouns/v1-0-0")?.at(-1);
    const line = `subgraph deploy copy/1 --from-ipfs-hash ${id} --ipfs-gateway ${ipfs.url} --wait none`;
    expect((await run(line)).code).toBe(0);
    expect(node.subgraphs.get("copy/v1")).toEqual([id]);
  });

  it("--from-url asks the endpoint which deployment it serves", async () => {
    const { run, node, ipfs } = await graphNode();
    await run(`${deploy} --wait none`);
    const id = node.subgraphs.get("nouns/v1-0-0")?.at(-1);
    const all = await realApi();
    // Every server's subgraph endpoint answers like this.
    all.server.rule((method) =>
      method === "POST"
        ? { kind: "text", text: JSON.stringify({ data: { _meta: { deployment: id } } }) }
        : undefined,
    );
    const endpoint = `${all.server.url}/subgraphs/nouns/gn`;
    const line = `subgraph deploy copy/1 --from-url ${endpoint} --ipfs-gateway ${ipfs.url} --wait none`;
    const { code, err } = await all.run(line);
    const { origin } = new URL(endpoint);
    expect([code, err]).toEqual([0, `The endpoint at ${origin} serves the deployment ${id}.\n`]);
    expect((await all.server.version("copy", "1")).deployment).toBe(id);
    expect(all.server.received[0]?.body).toEqual({ query: "{ _meta { deployment } }" });
  });

  it("reports an address that is not a subgraph endpoint, and a gateway that returns wrong content", async () => {
    const { run, node, ipfs } = await graphNode();
    await run(`${deploy} --wait none`);
    const id = node.subgraphs.get("nouns/v1-0-0")?.at(-1);
    const notOne = await run(`subgraph deploy copy/1 --from-url ${ipfs.url} --wait none`);
    expect(notOne.code).toBe(3);
    expect(notOne.err).toContain("without a deployment id");
    ipfs.lie((_, bytes) => Uint8Array.from([...bytes, 10]));
    const lied = await run(`subgraph deploy copy/1 --from-ipfs-hash ${id} --ipfs-gateway ${ipfs.url}`);
    expect(lied.code).toBe(3);
    expect(node.subgraphs.has("copy/v1")).toBe(false);
  });
});
