// Measures what it costs to keep what is indexed: the same chain with many transfers into memory, into PGlite in a
// folder and into a PostgreSQL server, each in a process of its own, in turn.
// Run: npm run bench:store [-- <transfers> [<address of a server's empty database>]]
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createRpcChain } from "../dist/runtime/chain/rpc-chain.js";
import { createRpcClient } from "../dist/runtime/chain/rpc-client.js";
import { run } from "../dist/runtime/run-subgraph.js";
import { MemoryStore } from "../dist/runtime/store/memory-store.js";
import { buildSubgraph, compileToken, fill, startAnvil, world } from "./transfers.mjs";

const [transfers = "50000", server, child] = process.argv.slice(2);
const rounds = Number(process.env.ROUNDS ?? 3);

/** A store that is made for one run. */
async function openKept(place, built, round) {
  const { openDatabase } = await import("../dist/platform/database/open-database.js");
  const { migrate } = await import("../dist/platform/database/migrate.js");
  const { openDeployment } = await import("../dist/platform/catalog/deployments.js");
  const { openStore } = await import("../dist/platform/entities/open-store.js");
  const database = await openDatabase(place, world);
  await migrate(database);
  const deployment = await openDeployment(database, {
    deployment: `Qm${round}${Math.random()}`,
    network: "mainnet",
    schema: built.schema,
    startBlock: 0,
  });
  return { store: openStore(database, deployment, built), close: () => database.close() };
}

async function measure({ url, address, abi, last, place, round }) {
  const built = await buildSubgraph(abi, address);
  const chain = createRpcChain(createRpcClient(url, world));
  const opened = place ? await openKept(place, built, round) : { store: new MemoryStore(built.entities) };
  const before = process.cpuUsage();
  const start = performance.now();
  const { progress, failure } = await run(built, chain, opened.store, { to: last });
  const seconds = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(before);
  if (failure || progress.handlers < Number(transfers)) throw new Error("not all handlers ran");
  await opened.close?.();
  return {
    seconds,
    cpu: (user + system) / 1e6,
    megabytes: Math.round(process.resourceUsage().maxRSS / 1024),
  };
}

if (child) {
  console.log(JSON.stringify(await measure(JSON.parse(child))));
  process.exit(0);
}
const token = compileToken();
const anvil = await startAnvil();
const folder = mkdtempSync(join(tmpdir(), "graphloom-bench-"));
try {
  const client = createRpcClient(anvil.url, world);
  const address = (await fill(client, token, Number(transfers))).toLowerCase();
  const last = Number(await client.request("eth_blockNumber", []));
  // Blocks so far below the head are as good as final.
  await client.request("anvil_mine", ["0x12c"]);
  const places = [["memory"], ["PGlite", join(folder, "data")], ...(server ? [["PostgreSQL", server]] : [])];
  const found = new Map(places.map(([name]) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const [name, place] of places) {
      const told = JSON.stringify({ url: anvil.url, address, abi: token.abi, last, place, round });
      const args = [fileURLToPath(import.meta.url), transfers, server ?? "", told];
      found.get(name).push(JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8" })));
    }
  }
  const median = (all) => all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)];
  for (const [name, all] of found) {
    const seconds = median(all.map((one) => one.seconds));
    const cpu = median(all.map((one) => one.cpu));
    const rate = Math.round(Number(transfers) / seconds);
    const peak = Math.max(...all.map(({ megabytes }) => megabytes));
    console.log(
      `${name}: ${rate} events/s, ${seconds.toFixed(2)} s, ${cpu.toFixed(2)} s of CPU, peak ${peak} MB`,
    );
  }
} finally {
  anvil.stop();
  rmSync(folder, { recursive: true, force: true });
}
process.exit(0);
