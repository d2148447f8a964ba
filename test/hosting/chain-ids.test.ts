import { describe, expect, it } from "vitest";
import { chainIds, networkNamed } from "../../src/hosting/chain-ids.js";

const hosting = {
  engines: [
    {},
    {
      nodes: async () => [
        { network: "mainnet", isUp: true, chainId: "1" },
        { network: "matic", isUp: true, chainId: "137" },
        { network: "base", isUp: false },
      ],
    },
  ],
};
const networks = new Map(["mainnet", "base", "10"].map((network) => [network, []]));

describe("the id of a chain", () => {
  it("knows the chain id of networks whose node has reported it", async () => {
    expect(await chainIds(hosting)).toEqual(
      new Map([
        ["mainnet", 1],
        ["matic", 137],
      ]),
    );
  });

  it.each([
    ["mainnet", "mainnet"],
    ["1", "mainnet"],
    ["10", "10"],
    ["137", undefined],
    ["8453", undefined],
    ["01", undefined],
    ["0x1", undefined],
    ["polygon", undefined],
  ])("%s names the network %s if this server has nodes for it", async (text, network) => {
    expect(await networkNamed(text, hosting, networks)).toBe(network);
  });
});
