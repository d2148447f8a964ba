import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { exampleNames, examples } from "../../support/compiler/examples.js";
import { inProcess } from "../remote/harness.js";
import { graphNode, onceDeployed, synced, useDeployApi } from "./harness.js";

const realApi = useDeployApi();
const chains = ["mainnet", "base", "arbitrum-one", "sepolia", "matic"];
const nouns = join(examples, "nouns/subgraph.json");

describe("subgraph init --deploy", () => {
  it.each(exampleNames)("deploys %s to the API and, with the same ids, to a graph-node", async (name) => {
    const [all, { run, node, home }] = [await realApi(), await graphNode(chains)];
    const config = join(examples, name, "subgraph.json");
    const made = (target: string): string =>
      `subgraph init sample/1.0.0 --from-config ${config} --target-path ${target} --build --deploy`;
    onceDeployed(all, synced);
    const toApi = await all.run(`${made(join(all.home, "out"))} --tag prod`);
    expect(toApi.code).toBe(0);
    expect(toApi.out).toContain(`Wrote ${join(all.home, "out")}`);
    const versions = await all.server.versions();
    expect(versions.length).toBe(name === "erc20-multichain" ? 3 : 1);
    for (const { name: deployedName } of versions) expect(deployedName).toMatch(/^sample/);
    expect((await all.server.tags()).map((tag) => [tag.name, tag.version])).toEqual(
      versions.map((version) => [version.name, "prod"]),
    );
    const toNode = await run(made(join(home, "node")));
    expect(toNode.code).toBe(0);
    expect(toNode.out).toContain(`Wrote ${join(home, "node")}`);
    expect([...node.subgraphs.values()].flat().sort()).toEqual(
      versions.map(({ deployment }) => deployment).sort(),
    );
  });

  it("reports a missing version before it writes anything", async () => {
    const { run, home } = await graphNode();
    const line = `subgraph init sample --from-config ${nouns} --target-path ${join(home, "out")} --deploy`;
    const { code } = await run(line);
    // The configuration specifies its own version.
    expect(code).toBe(0);
    const stdin = JSON.stringify({ version: "1", abis: {}, instances: [] });
    const unnamed = await inProcess("subgraph init a --from-config - --deploy", {
      cwd: home,
      stdin,
      // Avoids the home folder, where the person who runs the tests may be logged in.
      env: { HOME: home },
    });
    expect(unnamed.code).toBe(2);
  });
});
