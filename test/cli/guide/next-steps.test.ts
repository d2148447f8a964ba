import { describe, expect, it } from "vitest";
import { nextSteps } from "../../../src/cli/guide/next-steps.js";

describe("nextSteps", () => {
  it("proposes the usual address for a local chain, and a placeholder for others", () => {
    const steps = nextSteps({ file: "a.json", chains: ["localhost", "mainnet"], name: "a/1.0.0" });
    expect(steps).toContain(
      "graphloom dev a.json --rpc localhost=http://127.0.0.1:8545 --rpc mainnet=https://…",
    );
  });

  it("does not show a node's address that may contain a key", () => {
    const rpc = "http://127.0.0.1:8545/v2/abcdefabcdefabcdefabcdefabcdefab";
    const steps = nextSteps({ file: "a.json", chains: ["anvil"], name: undefined, rpc });
    expect(steps).toContain("graphloom dev a.json --rpc anvil=https://…");
  });
});
