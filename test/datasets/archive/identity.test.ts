import { expect, it } from "vitest";
import { askIdentity } from "../../../src/datasets/archive/identity.js";
import { ChainError } from "../../../src/runtime/chain/chain.js";
import { rawBlock } from "../../support/chain/raw-chain.js";

const good: Readonly<Record<string, unknown>> = {
  eth_chainId: "0x1",
  eth_getBlockByNumber: rawBlock(0),
};

/** A pool whose nodes answer nonsense first. */
function poolAnswering(nonsense: unknown, times: number) {
  const asked = new Map<string, number>();
  return {
    request: async (method: string): Promise<unknown> => {
      const before = asked.get(method) ?? 0;
      asked.set(method, before + 1);
      return before < times ? nonsense : good[method];
    },
  };
}

it.each([null, "", "1", {}, []])("another node of a pool is asked after the answer %j", async (nonsense) => {
  const identity = await askIdentity(poolAnswering(nonsense, 2));
  expect(identity.chainId).toBe("1");
});

it("a pool whose nodes give only invalid answers cannot be identified", async () => {
  await expect(askIdentity(poolAnswering("nothing", 100))).rejects.toThrow(ChainError);
});
