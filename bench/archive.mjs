// Measures the archive: indexing a chain with many transfers from the node against indexing it from an archive, for a node
// on this machine, with a call of a contract for each transfer, and for a node behind a network; then how many rows of each
// dataset are extracted in a second from either.
// Run: npm run bench:archive [-- <transfers>]
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ArchivedChain } from "../dist/datasets/archive/archived-chain.js";
import { openArchive } from "../dist/datasets/archive/open-archive.js";
import { extract } from "../dist/datasets/extract/extract.js";
import { openArchiveFiles } from "../dist/machine/files/archive-files.js";
import { breathe } from "../dist/machine/world.js";
import { finalBlock } from "../dist/runtime/chain/final-block.js";
import { Patience } from "../dist/runtime/chain/rpc/patience.js";
import { createPatientChain } from "../dist/runtime/chain/rpc/patient-chain.js";
import { createRpcClient } from "../dist/runtime/chain/rpc/rpc-client.js";
import { createRpcChain } from "../dist/runtime/chain/rpc-chain.js";
import { Verification } from "../dist/runtime/indexer/logs/verification.js";
import { run } from "../dist/runtime/run-subgraph.js";
import { MemoryStore } from "../dist/runtime/store/memory-store.js";
import { median } from "./process.mjs";
import { buildSubgraph, compileToken, fill, mineEmpty, startAnvil, world } from "./transfers.mjs";

const transfers = Number(process.argv[2] ?? 50_000);
const rounds = 3;
const wanted = 3;
/** What an exchange with a node behind a network takes at least, in milliseconds. */
const latency = 20;
const kinds = ["raw_blocks", "raw_transactions", "raw_logs", "raw_traces", "erc20_transfers"];
const seconds = (start) => (performance.now() - start) / 1000;
const folder = mkdtempSync(join(tmpdir(), "graphloom-bench-"));
const token = await compileToken();

/** The world, in which each answer comes later. */
const farWorld = {
  ...world,
  fetch: async (url, request) => {
    await world.sleep(latency);
    return world.fetch(url, request);
  },
};

/** A local chain with so many transfers, all of them final. */
async function startFilled(count, options) {
  const anvil = await startAnvil(options);
  const client = createRpcClient(anvil.url, world);
  const address = (await fill(client, token, count)).toLowerCase();
  const last = Number(await client.request("eth_blockNumber", []));
  await mineEmpty(client, 400);
  return { ...anvil, address, last, count };
}

/** As `run --archive` opens it: whatever was in memory before is read again from the disk. */
async function archivedOf({ last }, client, place) {
  const { archive } = await openArchive(openArchiveFiles(join(folder, place)), "mainnet", client);
  return new ArchivedChain(createRpcChain(client), archive, {
    finalOf: (head) => finalBlock(client, head),
    to: last,
  });
}

/** Indexes a chain from its node, into an archive, and from that archive, in turn. */
async function measure(name, chain, { from = world, calls = false } = {}) {
  const client = createRpcClient(chain.url, from);
  const built = await buildSubgraph(token.abi, chain.address, { calls });
  const index = async (source, archive) => {
    const start = performance.now();
    const { progress, failure } = await run(built, source, new MemoryStore(built.entities), {
      breathe,
      to: chain.last,
      archive,
    });
    if (failure || progress.handlers < chain.count)
      throw new Error(`only ${progress.handlers} handlers ran: ${failure}`);
    return seconds(start);
  };
  const filling = await archivedOf(chain, client, name);
  const first = await index(filling, filling);
  await filling.flush();
  const [node, archive] = [[], []];
  for (let round = 0; round < rounds; round++) {
    node.push(await index(createRpcChain(client)));
    const kept = await archivedOf(chain, client, name);
    archive.push(await index(kept, kept));
  }
  const ratio = median(node) / median(archive);
  console.log(
    `${name}, ${chain.count} transfers: ${median(node).toFixed(2)} s from the node, ${median(archive).toFixed(2)} s from the archive, ` +
      `${ratio.toFixed(2)} times as fast (wanted: ${wanted}, ${ratio >= wanted ? "ok" : "MISSED"}); ${first.toFixed(2)} s into the archive`,
  );
}

/** Extracts a dataset from the node and from an archive. */
async function measureRows(kind, chain) {
  const client = createRpcClient(chain.url, world);
  const rate = async (source, archive) => {
    const patience = new Patience({ limit: 0, pause: async () => {}, chance: () => 0.5 });
    const from = {
      chain: createPatientChain(source, patience),
      verification: new Verification("bloom"),
      archive,
    };
    const head = await source.head();
    const start = performance.now();
    let rows = 0;
    for await (const batch of extract(from, { kind, from: 0, to: chain.last }, head.number))
      rows += batch.rows.length;
    return { rows, perSecond: rows / seconds(start) };
  };
  const place = `rows of ${kind}`;
  const into = await archivedOf(chain, client, place);
  await rate(into, into);
  await into.flush();
  const [node, archive] = [[], []];
  let rows = 0;
  for (let round = 0; round < rounds; round++) {
    const read = await rate(createRpcChain(client));
    rows = read.rows;
    node.push(read.perSecond);
    const kept = await archivedOf(chain, client, place);
    archive.push((await rate(kept, kept)).perSecond);
  }
  const [slow, fast] = [median(node), median(archive)].map(Math.round);
  console.log(
    `${kind}, ${rows} rows: ${slow} per second from the node, ${fast} from the archive, ${(fast / slow).toFixed(1)} times as fast`,
  );
}

const chains = [];
try {
  const chain = await startFilled(transfers);
  chains.push(chain);
  await measure("a node on this machine", chain);
  await measure(`a node behind ${latency} ms`, chain, { from: farWorld });
  for (const kind of kinds) await measureRows(kind, chain);
  chain.stop();
  // A call takes the node longer than all else together.
  const called = await startFilled(transfers / 10, { keepsStates: true });
  chains.push(called);
  await measure("a call for each transfer", called, { calls: true });
  await measure(`a call for each transfer, behind ${latency} ms`, called, { calls: true, from: farWorld });
} finally {
  for (const { stop } of chains) stop();
  rmSync(folder, { recursive: true, force: true });
}
process.exit(0);
