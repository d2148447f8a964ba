import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { faultOfManifest } from "../../../src/platform/doors/judge-manifest.js";

interface Case {
  readonly label: string;
  readonly manifest: unknown;
  readonly message: string;
}

/** What a graph-node 0.44 answered to deployments of these manifests. */
const cases = readFileSync(new URL("manifest-cases.jsonl", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .map((line): Case => JSON.parse(line));

test.each(cases)("a manifest is refused in graph-node's words: $label", ({ manifest, message }) => {
  const hash = /`(Qm\w+)`/.exec(message)?.[1] ?? "Qm";
  expect(faultOfManifest(manifest, hash)).toBe(message);
});

test("a manifest without these mistakes is left to the reader of the build", () => {
  const dataSources = [{ kind: "ethereum/contract", network: "mainnet" }];
  for (const specVersion of ["0.0.2", "0.0.9", "1.0.0", "1.5.0"])
    expect(faultOfManifest({ specVersion, schema: {}, dataSources }, "Qm")).toBeUndefined();
});
