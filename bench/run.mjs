// Measures indexing: a local chain with many transfers and no calls, against only fetching the same logs and blocks,
// and how memory grows with the number of blocks. Run: npm run bench:run [-- <transfers>]
import { breathe } from "../dist/machine/world.js";
import { createRpcClient } from "../dist/runtime/chain/rpc/rpc-client.js";
import { createRpcChain } from "../dist/runtime/chain/rpc-chain.js";
import { run } from "../dist/runtime/run-subgraph.js";
import { MemoryStore } from "../dist/runtime/store/memory-store.js";
import { buildSubgraph, compileToken, fill, mineEmpty, startAnvil, world } from "./transfers.mjs";

const transfers = Number(process.argv[2] ?? 50_000);

/** Only what any indexer has to fetch; the seconds it takes. */
async function fetchOnly(chain, address, topics, last) {
  const start = performance.now();
  await chain.logs(0, last, [{ addresses: [address], topics }]);
  for (let block = 0; block <= last; block += 25) {
    const count = Math.min(25, last - block + 1);
    await chain.blocks(Array.from({ length: count }, (_, index) => block + index));
  }
  return (performance.now() - start) / 1000;
}

const token = await compileToken();
const anvil = await startAnvil();
const longest = 280_000;
const late = setTimeout(() => {
  console.error(`not done after ${longest / 1000} s: the machine is too busy, or something hangs`);
  anvil.stop();
  process.exit(1);
}, longest);
try {
  const client = createRpcClient(anvil.url, world);
  const chain = createRpcChain(client);
  const address = (await fill(client, token, transfers)).toLowerCase();
  const filled = Number(await client.request("eth_blockNumber", []));
  const built = await buildSubgraph(token.abi, address);
  const topics = built.dataSources[0].eventHandlers.map(({ topic0 }) => topic0);
  // Blocks in which nothing happens: what they leave behind is what a block costs by itself.
  await mineEmpty(client, 5_000);
  const heaps = [];
  const times = [];
  const floors = [];
  for (let round = 0; round < 5; round++) {
    floors.push(await fetchOnly(chain, address, topics, filled));
    const store = new MemoryStore(built.entities);
    const start = performance.now();
    const { progress, failure } = await run(built, chain, store, {
      breathe,
      onProgress: ({ block, handlers }) => {
        if (handlers >= transfers && times.length === round) times.push((performance.now() - start) / 1000);
        if (round > 0 || block < filled + heaps.length * 1000) return;
        globalThis.gc?.();
        heaps.push(Math.round(process.memoryUsage().heapUsed / 1e6));
      },
    });
    if (failure || progress.handlers < transfers) throw new Error(`only ${progress.handlers} handlers ran`);
  }
  const median = (all) => all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)];
  const rate = transfers / median(times);
  console.log(`${transfers} transfers, seconds: ${times.map((one) => one.toFixed(2)).join(" ")}`);
  console.log(`events per second: ${Math.round(rate)} (wanted: at least 5000)`);
  console.log(`fetching the same and nothing else: ${median(floors).toFixed(2)} s`);
  console.log(`ratio of indexing to fetching: ${(median(times) / median(floors)).toFixed(2)}`);
  console.log(`heap in MB after the transfers, every 1000 empty blocks: ${heaps.join(" ")}`);
} finally {
  clearTimeout(late);
  anvil.stop();
}
process.exit(0);
