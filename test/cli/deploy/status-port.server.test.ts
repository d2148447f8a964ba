import { expect, it } from "vitest";
import { node } from "./in-process.js";

const deploy = "subgraph deploy pools/1.0.0 --from-abi c.json";

it("the status of a graph-node is not asked for by who does not wait", async () => {
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

it("it is by who waits, or says where to ask", async () => {
  await node(async ({ run, statusRequests }) => {
    await run(`${deploy} --wait none`);
    const before = statusRequests();
    expect((await run(`${deploy} --wait none`)).out).toContain("is already deployed, unchanged.");
    expect(statusRequests()).toBeGreaterThan(before);
  });
});
