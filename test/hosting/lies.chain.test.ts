import { beforeAll, describe, expect, it } from "vitest";
import { moving } from "../runtime/token-subgraph.js";
import { useAnvil } from "../support/chain/anvil.js";
import { onPglite } from "../support/database/databases.js";
import { type Passed, standBefore } from "./doorkeeper.js";
import { amounts, host, indexed, tokens, until } from "./hosted.js";

const anvil = useAnvil();
const { fresh } = onPglite();
beforeAll(async () => {
  await fresh();
  await tokens(anvil());
});

describe("a node that lies", () => {
  it.each([
    {
      about: "the logs of a block by hash, once, and of ranges, twice",
      lies: { eth_getLogs: 1, range: 2 },
      lie: () => [],
    },
    {
      about: "the receipts of a block, which belong to another block",
      lies: { eth_getBlockReceipts: 3 },
      lie: (result: unknown) =>
        (result as readonly object[]).map((receipt) => ({ ...receipt, blockHash: `0x${"7".repeat(64)}` })),
    },
    {
      about: "the receipts of a block, with one missing",
      lies: { eth_getBlockReceipts: 2 },
      lie: (result: unknown) => (result as readonly object[]).slice(0, -1),
    },
    {
      about: "the next block, whose parent then is another block",
      lies: { eth_getBlockByNumber: 3 },
      lie: (result: unknown) => result && { ...result, parentHash: `0x${"7".repeat(64)}` },
    },
    {
      about: "the block, which the node claims not to have",
      lies: { eth_getBlockByNumber: 3 },
      lie: () => null,
    },
  ])("recovers from wrong answers about $about", async ({ lies, lie }) => {
    const { token, bundle } = await tokens(anvil());
    const door = await standBefore(anvil().url);
    try {
      const made = await host({ database: await fresh(), nodes: [door.url] });
      await made.deploy(bundle);
      await indexed(made, bundle);
      const left: Record<string, number> = { ...lies };
      let told = 0;
      const kindOf = ({ method, params: [first] }: Passed): string => {
        if (method === "eth_getLogs" && !(first as { readonly blockHash?: string }).blockHash) return "range";
        return first === "latest" ? "head" : method;
      };
      door.tell = (call, result) => {
        const kind = kindOf(call);
        const more = left[kind] ?? 0;
        if (more === 0 || (Array.isArray(result) && result.length === 0)) return result;
        left[kind] = more - 1;
        told += 1;
        return lie(result);
      };
      await anvil().transact(moving(anvil(), token, 1, 5));
      await anvil().transact(moving(anvil(), token, 1, 6));
      await until("what was moved is there", amounts(made, bundle), (found) => found.length === 2);
      expect(told).toBeGreaterThan(0);
    } finally {
      await door.stop();
    }
  });
});
