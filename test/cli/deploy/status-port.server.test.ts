import { expect, it } from "vitest";
import { node } from "./in-process.js";

const deploy = "subgraph deploy pools/1.0.0 --from-abi c.json";

it("the status of a graph-node is only asked for by who waits", async () => {
  await node(async ({ run, statusRequests }) => {
    const first = await run(`${deploy} --wait none --tag prod`);
    expect([first.code, statusRequests()]).toEqual([0, 0]);
    expect(first.out).toContain("Deployed pools/1.0.0");
    const again = await run(`${deploy} --wait none`);
    expect([again.code, statusRequests()]).toEqual([0, 0]);
    await run(deploy);
    expect(statusRequests()).toBeGreaterThan(0);
  });
});
