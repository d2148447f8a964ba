import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { examples } from "../../support/compiler/examples.js";
import { graphNode, onceDeployed, synced, useDeployApi } from "./harness.js";

const realApi = useDeployApi();

/* All other tests of deployments run the commands in the test process. */

const nouns = join(examples, "nouns/subgraph.json");
const usdc = join(examples, "erc20-multichain/subgraph.json");

describe("the shipped program", () => {
  it("subgraph deploy deploys a configuration to the API", async () => {
    const all = await realApi();
    const deploy = `subgraph deploy nouns/1.0.0 --from-abi ${nouns} --tag prod,next`;
    onceDeployed(all, synced);
    const { code, out, err } = await all.runShipped(deploy);
    expect(code).toBe(0);
    expect(all.arrived().slice(0, 4)).toEqual([
      "GET /subgraphs/nouns/1.0.0",
      "PUT /subgraphs/nouns/deployments/1.0.0",
      "PUT /subgraphs/nouns/tags/prod",
      "PUT /subgraphs/nouns/tags/next",
    ]);
    expect(out).toContain(`deployment  ${(await all.server.version("nouns", "1.0.0")).deployment}\n`);
    expect(err).toBe("nouns/1.0.0: synced at block 1100\n");
    expect((await all.run(deploy)).out).toContain("nouns/1.0.0 is already deployed, unchanged.");
  });

  it("subgraph deploy deploys a configuration to a graph-node", async () => {
    const { run, runShipped, node, ipfs } = await graphNode();
    const deploy = `subgraph deploy nouns/1.0.0 --from-abi ${nouns} --tag prod`;
    const { code, out } = await runShipped(deploy);
    expect(code).toBe(0);
    const [id = ""] = node.subgraphs.get("nouns/v1-0-0") ?? [];
    expect(out).toContain(`deployment  ${id}\n`);
    expect(node.subgraphs.get("nouns/prod")).toEqual([id]);
    expect([...ipfs.pinned].sort()).toEqual([...ipfs.held.keys()].sort());
    expect((await run(deploy)).out).toContain("nouns/1.0.0 is already deployed, unchanged.");
  });

  it("subgraph init --deploy writes, builds and deploys each chain", async () => {
    const all = await realApi();
    const target = join(all.home, "out");
    onceDeployed(all, synced);
    const { code, out } = await all.runShipped(
      `subgraph init sample/1.0.0 --from-config ${usdc} --target-path ${target} --build --deploy --tag prod`,
    );
    expect(code).toBe(0);
    expect(out).toContain(`Wrote ${target}`);
    expect((await all.server.versions()).map(({ name }) => name)).toEqual([
      "sample-arbitrum-one",
      "sample-base",
      "sample-mainnet",
    ]);
    const again = `subgraph deploy sample/1.0.0 --path ${target} --wait none`;
    expect((await all.run(again)).out.match(/is already deployed, unchanged\./g)).toHaveLength(3);
  });

  it("subgraph deploy lists the chains that are missing when the node refuses one", async () => {
    const { runShipped } = await graphNode(["mainnet", "arbitrum-one"]);
    const { code, err } = await runShipped(`subgraph deploy usdc/1.0.0 --from-abi ${usdc} --wait none`);
    expect(code).toBe(3);
    expect(err).toContain("Not deployed: usdc-base/1.0.0, usdc-arbitrum-one/1.0.0.");
  });

  it("an interrupt ends an upload", async () => {
    const all = await realApi();
    all.server.rule((method) => (method === "PUT" ? { kind: "slow", milliseconds: 20_000 } : undefined));
    let asked = false;
    const { code } = await all.runShipped(
      `subgraph deploy nouns/1.0.0 --from-abi ${nouns} --wait none --verbose`,
      {
        onPrint({ err }, interrupt) {
          if (asked || !err.includes("GET ")) return;
          asked = true;
          setTimeout(interrupt, 500);
        },
      },
    );
    expect(code).toBe(130);
  });
});
