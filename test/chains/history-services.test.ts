import { expect, it } from "vitest";
import { publicHyperSyncOf, publicPortalOf } from "../../src/chains/history-services.js";

it.each([
  ["1", "ethereum-mainnet"],
  ["42161", "arbitrum-one"],
  ["7777777", "zora-mainnet"],
])("The public Portal has chain %s as %s.", (chainId, dataset) => {
  expect(publicPortalOf(chainId)).toBe(`https://portal.sqd.dev/datasets/${dataset}`);
});

it("No public Portal is known for a chain that is not in its catalog.", () => {
  expect(publicPortalOf("31337")).toBeUndefined();
});

it("HyperSync has a host for each chain.", () => {
  expect(publicHyperSyncOf("8453")).toBe("https://8453.hypersync.xyz");
});
