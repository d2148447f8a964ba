import { expect, it } from "vitest";
import { follow } from "../../../src/datasets/extract/follow.js";
import { LogDecoder } from "../../../src/datasets/rows/decoded-rows.js";
import { createPatience } from "../../../src/runtime/chain/rpc/patience.js";
import { createPatientChain } from "../../../src/runtime/chain/rpc/patient-chain.js";
import { Verification } from "../../../src/runtime/indexer/logs/verification.js";
import { run } from "../../../src/runtime/run-subgraph.js";
import { MemoryStore } from "../../../src/runtime/store/memory-store.js";
import { nullRounds } from "../../support/chain/node-wordings.js";
import { factoryAbi, tokenAbi } from "../../support/pool/contracts.js";
import type { Call } from "../../support/pool/faults.js";
import { Pool } from "../../support/pool/pool.js";
import { chainOf, cleanRun, everything } from "./pool-run.js";
import { poolSubgraphs } from "./pool-subgraphs.js";

const head = 12;
const end = 20;

/** How often nodes that stayed on a replaced chain are asked first: more often than two answers must agree. */
const mostMisses = 7;

/** A pool of which some nodes stayed on a replaced chain, which has no block at the number of the head. */
function reorganisedPool(): { readonly pool: Pool; readonly node: Pick<Pool, "fetch"> } {
  const pool = new Pool({ seed: 5, length: head + 1, busy: 1, disturbance: 0, lag: 0, change: 0 });
  let misses = 0;
  const fetch: Pool["fetch"] = async (url, request) => {
    const calls = [JSON.parse(String(request.body))].flat() as readonly Call[];
    const answers = [await (await pool.fetch(url, request)).json()].flat() as readonly object[];
    const changed = answers.map((answer, index) => {
      const { method, params: [at] = [] } = calls[index] ?? {};
      if (misses === mostMisses || method === undefined) return answer;
      if (method === "eth_getBlockByNumber" && Number(at) === head) {
        misses += 1;
        return { ...answer, result: undefined, error: nullRounds(head)[0] };
      }
      if (method !== "eth_getLogs") return answer;
      const { result } = answer as { readonly result: readonly { readonly blockNumber: string }[] };
      return { ...answer, result: result.filter(({ blockNumber }) => Number(blockNumber) !== head) };
    });
    return new Response(JSON.stringify(changed.length === 1 ? changed[0] : changed));
  };
  return { pool, node: { fetch } };
}

it("a subgraph that follows the chain indexes the head block, although nodes call it a null round", async () => {
  const { pool, node } = reorganisedPool();
  const built = (await poolSubgraphs()).get("events")?.built;
  if (!built) throw new Error("there is no subgraph of events");
  const store = new MemoryStore(built.entities);
  const { chain, pause, random } = chainOf(node, 1);
  const waitForBlocks = async (): Promise<boolean> => {
    pool.grow();
    return true;
  };
  const notes: string[] = [];
  const onUnproved = (why: string): void => void notes.push(why);
  await run(built, chain, store, { from: 0, to: end, pause, random, waitForBlocks, onUnproved });
  expect(await everything(built, store)).toBe(
    await everything(built, await cleanRun(pool.tip.hash, built, pool)),
  );
  expect(notes).toEqual([]);
});

it("a run that ends with the head indexes its block, although nodes call it a null round", async () => {
  const { pool, node } = reorganisedPool();
  const built = (await poolSubgraphs()).get("events")?.built;
  if (!built) throw new Error("there is no subgraph of events");
  const store = new MemoryStore(built.entities);
  const { chain, pause, random } = chainOf(node, 1);
  await run(built, chain, store, { from: 0, to: head, pause, random });
  expect((await store.head())?.hash).toBe(pool.tip.hash);
  expect(await everything(built, store)).toBe(
    await everything(built, await cleanRun(pool.tip.hash, built, pool)),
  );
});

it("a dataset contains the head block, although nodes call it a null round", async () => {
  const { pool, node } = reorganisedPool();
  const { chain, pause, random } = chainOf(node, 1);
  const patience = createPatience({ pause, random });
  const source = { chain: createPatientChain(chain, patience), verification: new Verification() };
  const decoder = new LogDecoder([{ abi: factoryAbi }, { abi: tokenAbi }]);
  const waitForBlocks = async (): Promise<boolean> => {
    pool.grow();
    return true;
  };
  const finalOf = async (): Promise<undefined> => undefined;
  const found = new Set<number>();
  const following = { finalOf, waitForBlocks, patience, last: end };
  for await (const { changes, to } of follow(source, { kind: "decoded_logs", from: 0, decoder }, following)) {
    for (const { row } of changes) found.add(Number(row.block_number));
    if (to === end) break;
  }
  const blocks = pool.logsUpTo(pool.tip.hash).map(({ blockNumber }) => Number(blockNumber));
  expect([...found].sort((one, other) => one - other)).toEqual([...new Set(blocks)]);
});
