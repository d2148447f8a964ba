// Measures what it costs to keep what is indexed: the same chain with many transfers into memory, into PGlite in a
// folder and into a PostgreSQL server, each in a process of its own, in turn; and by Ponder into its own PGlite.
// Run: npm run bench:store [-- <transfers> [<address of a server's empty database>]]
// ROUNDS is how often, 3; PONDER=0 leaves Ponder out.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { breathe } from "../dist/machine/world.js";
import { createRpcClient } from "../dist/runtime/chain/rpc/rpc-client.js";
import { createRpcChain } from "../dist/runtime/chain/rpc-chain.js";
import { run } from "../dist/runtime/run-subgraph.js";
import { MemoryStore } from "../dist/runtime/store/memory-store.js";
import { peakMemory } from "./peak-memory.mjs";
import { installPonder, runPonder, usageOf } from "./ponder.mjs";
import { median } from "./process.mjs";
import { buildSubgraph, compileToken, fill, mineEmpty, startAnvil, world } from "./transfers.mjs";

const [transfers = "50000", server, child] = process.argv.slice(2);
const rounds = Number(process.env.ROUNDS ?? 3);
/** No round is begun that would end later than so many milliseconds after the first began. */
const longest = 240_000;

/** A store that is made for one run. */
async function openKept(place, built, round, proofs) {
  const { openDatabase } = await import("../dist/store/open.js");
  const { migrate } = await import("../dist/store/database/migrate.js");
  const { openDeployment } = await import("../dist/store/deployments/deployments.js");
  const { openStore } = await import("../dist/store/entities/open-store.js");
  const database = await openDatabase(place, world);
  await migrate(database);
  const deployment = await openDeployment(database, {
    deployment: `Qm${round}${Math.random()}`,
    network: "mainnet",
    schema: built.schema,
    startBlock: 0,
    ...(proofs && { proofVariant: "fast" }),
  });
  return { store: openStore(database, deployment, built), close: () => database.close() };
}

async function measure({ url, address, abi, last, place, round, proofs }) {
  const built = await buildSubgraph(abi, address);
  const chain = createRpcChain(createRpcClient(url, world));
  const opened = place
    ? await openKept(place, built, round, proofs)
    : { store: new MemoryStore(built.entities) };
  const before = process.cpuUsage();
  const start = performance.now();
  const { progress, failure } = await run(built, chain, opened.store, { to: last, breathe });
  const seconds = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(before);
  if (failure || progress.handlers < Number(transfers)) throw new Error("not all handlers ran");
  await opened.close?.();
  const all = process.cpuUsage();
  return {
    seconds,
    cpu: (user + system) / 1e6,
    wholeCpu: (all.user + all.system) / 1e6,
    megabytes: Math.round(peakMemory() / 1024),
  };
}

if (child) {
  console.log(JSON.stringify(await measure(JSON.parse(child))));
  process.exit(0);
}

/** Runs this script again for one place, in a process of its own; with the seconds of the whole process. */
function measureApart(told) {
  const args = [fileURLToPath(import.meta.url), transfers, server ?? "", JSON.stringify(told)];
  const start = performance.now();
  const measured = JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8" }));
  return { ...measured, whole: (performance.now() - start) / 1000 };
}

function print(name, all) {
  const middle = (of) => median(all.map(of));
  const rate = Math.round(Number(transfers) / middle(({ seconds }) => seconds));
  const peak = Math.max(...all.map(({ megabytes }) => megabytes ?? 0)) || "?";
  const [seconds, cpu, node, whole, wholeCpu] = ["seconds", "cpu", "node", "whole", "wholeCpu"].map((of) =>
    all.some((one) => one[of] === undefined) ? "?" : middle((one) => one[of]).toFixed(2),
  );
  console.log(
    `${name}: ${rate} events/s, ${seconds} s, ${cpu} s of CPU and ${node} s of the node's, peak ${peak} MB; ` +
      `whole process ${whole} s, ${wholeCpu} s of CPU`,
  );
}

const load = () => loadavg()[0].toFixed(1);
const loads = [load()];
const missing = process.env.PONDER === "0" ? "it was to be left out" : installPonder();
if (missing) console.log(`without Ponder: ${missing}`);
const token = await compileToken();
const anvil = await startAnvil();
const folder = mkdtempSync(join(tmpdir(), "graphloom-bench-"));
try {
  const client = createRpcClient(anvil.url, world);
  const address = (await fill(client, token, Number(transfers))).toLowerCase();
  const last = Number(await client.request("eth_blockNumber", []));
  // Blocks so far below the head are as good as final.
  await mineEmpty(client, 300);
  const chain = { url: anvil.url, address, abi: token.abi, last };
  const ours =
    (place, proofs = true) =>
    async (round) =>
      measureApart({ ...chain, round, proofs, place: typeof place === "function" ? place(round) : place });
  const runs = new Map([
    ["memory", ours(undefined)],
    ["PGlite", ours((round) => join(folder, `data-${round}`))],
    ["PGlite without proofs", ours((round) => join(folder, `bare-${round}`), false)],
    ...(server
      ? [
          ["PostgreSQL", ours(server)],
          ["PostgreSQL without proofs", ours(server, false)],
        ]
      : []),
    ...(missing ? [] : [["Ponder", () => runPonder(chain, Number(transfers))]]),
  ]);
  const found = new Map([...runs.keys()].map((name) => [name, []]));
  const start = performance.now();
  const spent = () => performance.now() - start;
  let round = 0;
  for (; round === 0 || (round < rounds && (spent() * (round + 1)) / round <= longest); round++) {
    for (const [name, run] of runs) {
      const before = usageOf(anvil.pid).cpu;
      try {
        const measured = await run(round);
        const after = usageOf(anvil.pid).cpu;
        found.get(name).push({ ...measured, node: after === undefined ? undefined : after - before });
        console.error(`round ${round + 1}, ${name}: ${measured.seconds.toFixed(2)} s`);
      } catch (error) {
        if (name !== "Ponder") throw error;
        console.log(`Ponder failed: ${error.message}`);
      }
    }
    loads.push(load());
  }
  console.log(`${transfers} transfers, medians of ${round}, load ${loads.join(" ")}`);
  for (const [name, all] of found) if (all.length > 0) print(name, all);
  for (const name of ["PGlite", "PostgreSQL"]) {
    const [kept, bare] = [found.get(name) ?? [], found.get(`${name} without proofs`) ?? []];
    if (kept.length === 0) continue;
    const cost = (of) => ((median(kept.map((one, index) => one[of] / bare[index][of])) - 1) * 100).toFixed(1);
    console.log(
      `proofs of indexing in ${name} (wanted: at most 5 %): ${cost("seconds")} % of the time, ${cost("cpu")} % of the CPU`,
    );
  }
  const [own, theirs] = [found.get("PGlite"), found.get("Ponder") ?? []];
  if (theirs.length === round) {
    const ratio = (of) => median(own.map((one, index) => theirs[index][of] / one[of])).toFixed(2);
    console.log(
      `PGlite against Ponder on PGlite (wanted: at least 2): ${ratio("seconds")} times as fast, ` +
        `${ratio("whole")} as whole processes, from nothing to the end; ` +
        `of the CPU: ${ratio("cpu")} and ${ratio("wholeCpu")}`,
    );
  }
} finally {
  anvil.stop();
  rmSync(folder, { recursive: true, force: true });
}
process.exit(0);
