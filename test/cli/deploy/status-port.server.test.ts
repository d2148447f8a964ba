import { expect, it } from "vitest";
import { node } from "./in-process.js";

const deploy = "subgraph deploy pools/1.0.0 --from-abi c.json";

it("subgraph deploy does not request the status of a graph-node with --wait none", async () => {
  await node(async ({ runWithoutStatus }) => {
    for (const options of ["--tag prod", ""]) {
      const { code, out, err } = await runWithoutStatus(`${deploy} --wait none --verbose ${options}`);
      expect(code).toBe(0);
      expect(out).toContain("Deployed pools/1.0.0");
      expect(err).toContain("POST http");
      expect(err).not.toContain(":8030");
    }
  });
});

it("subgraph deploy requests the status of a graph-node when its address is given", async () => {
  await node(async ({ run, statusRequests }) => {
    await run(`${deploy} --wait none`);
    const before = statusRequests();
    expect((await run(`${deploy} --wait none`)).out).toContain("is already deployed, unchanged.");
    expect(statusRequests()).toBeGreaterThan(before);
  });
});
