import fc from "fast-check";
import { expect, it } from "vitest";
import { linkBuild } from "../../../src/subgraph/deployment/link-build.js";
import { cidV0 } from "../../../src/web/ipfs/cid.js";
import { propertyRun } from "../../support/property/property-run.js";
import { deployed, fetchFrom, source, stored, wasmCids } from "./deployed-manifest.js";

it("unlinkBuild gives a deployment with any strings the same id again", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        description: fc.string({ unit: "binary" }),
        repository: fc.string(),
        number: fc.integer(),
      }),
      fc.dictionary(
        fc.string({ minLength: 1 }),
        fc.oneof(fc.string(), fc.double(), fc.boolean(), fc.constant(null)),
      ),
      async (texts, more) => {
        const manifest = deployed({ ...texts, more, dataSources: [source("A")] });
        expect(linkBuild(await fetchFrom(stored, manifest)).deploymentId).toBe(cidV0(manifest));
      },
    ),
    propertyRun(300),
  );
});

it("unlinkBuild refuses a deployment that links to too many files", async () => {
  const many = Array.from({ length: 10_001 }, (_, index) => `Abi${index}`);
  await expect(
    fetchFrom(stored, deployed({ dataSources: [source("A", wasmCids[0], many)] })),
  ).rejects.toThrow("The manifest on IPFS refers to 10003 files, but may refer to at most 10000");
});
