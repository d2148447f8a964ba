import { describe, expect, it } from "vitest";
import type { Block, Chain } from "../../../src/runtime/chain/chain.js";
import { run } from "../../../src/runtime/run-subgraph.js";
import { MemoryStore } from "../../../src/runtime/store/memory-store.js";
import type { BuiltSubgraph } from "../../../src/subgraph/runnable/built-subgraph.js";
import { poolConfigs, tokenAbi } from "../../support/pool/contracts.js";
import { Pool } from "../../support/pool/pool.js";
import { buildConfig } from "../harness.js";
import { chainOf } from "./pool-run.js";
import { runnableOf } from "./pool-subgraphs.js";

const calm = { seed: 3, disturbance: 0, lag: 0, change: 0 };

async function subgraphOf(config: object): Promise<BuiltSubgraph> {
  return runnableOf(await buildConfig(config));
}

/** How often the node was asked, by method, and how many data sources were created. */
async function requestsOf(built: BuiltSubgraph, pool: Pool): Promise<(method: string) => number> {
  const store = new MemoryStore(built.entities);
  await run(built, chainOf(pool, 1).chain, store, { from: 0 });
  const created = (await store.dataSources()).length;
  return (method) => (method === "created" ? created : (pool.asked.get(method) ?? 0));
}

describe("the requests of a run to a node", () => {
  it("requests every block once, no matter how many data sources are created, and before the previous range has ended", async () => {
    const built = await subgraphOf(poolConfigs.events ?? {});
    const pool = new Pool({ ...calm, length: 603, busy: 0.9 });
    const { chain } = chainOf(pool, 1);
    const ends: number[] = [];
    let asked = 0;
    const watched: Chain = {
      ...chain,
      blocks: (numbers) => {
        asked = Math.max(asked, ...numbers);
        return chain.blocks(numbers);
      },
      logs: (from, to, filter) => {
        if (to > (ends.at(-1) ?? 0)) ends.push(to);
        return chain.logs(from, to, filter);
      },
    };
    const late: number[] = [];
    const onBlock = ({ number }: Block): void => {
      if (number < 602 && ends.includes(number) && asked <= number) late.push(number);
    };
    const store = new MemoryStore(built.entities);
    await run(built, watched, store, { from: 0, onBlock });
    expect((await store.dataSources()).length).toBeGreaterThan(100);
    expect(pool.asked.get("eth_getBlockByNumber")).toBeLessThanOrEqual(603 + 1);
    expect(ends.length).toBeGreaterThan(3);
    expect(late).toEqual([]);
  });

  it("sends one log query for 500 sources of the same events", async () => {
    const instances = Array.from({ length: 500 }, (_, index) => ({
      abi: "Token",
      address: `0x${(index + 1).toString(16).padStart(40, "0")}`,
      startBlock: 0,
      chain: "mainnet",
    }));
    const built = await subgraphOf({ abis: { Token: tokenAbi }, instances });
    const asked = await requestsOf(built, new Pool({ ...calm, length: 20, busy: 0 }));
    expect(asked("eth_getLogs")).toBe(1);
  });
});
