// Measures the archive: indexing a local chain with many transfers from the node against indexing it from an archive, how
// many rows of each dataset are extracted in a second from either, and what a million logs take on the disk.
// Run: npm run bench:archive [-- <transfers>]
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ArchivedChain } from "../dist/datasets/archive/archived-chain.js";
import { openArchive } from "../dist/datasets/archive/open-archive.js";
import { extract } from "../dist/datasets/extract/extract.js";
import { openArchiveFiles } from "../dist/node/archive-files.js";
import { breathe } from "../dist/node/world.js";
import { finalBlock } from "../dist/runtime/chain/final-block.js";
import { Patience } from "../dist/runtime/chain/patience.js";
import { createPatientChain } from "../dist/runtime/chain/patient-chain.js";
import { createRpcChain } from "../dist/runtime/chain/rpc-chain.js";
import { createRpcClient } from "../dist/runtime/chain/rpc-client.js";
import { Verification } from "../dist/runtime/indexer/verification.js";
import { run } from "../dist/runtime/run-subgraph.js";
import { MemoryStore } from "../dist/runtime/store/memory-store.js";
import { buildSubgraph, compileToken, fill, mineEmpty, startAnvil, world } from "./transfers.mjs";

const transfers = Number(process.argv[2] ?? 50_000);
const rounds = 3;
const kinds = ["raw_blocks", "raw_transactions", "raw_logs", "raw_traces", "erc20_transfers"];
const seconds = (start) => (performance.now() - start) / 1000;
const median = (all) => all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)];
const folder = mkdtempSync(join(tmpdir(), "graphloom-bench-"));
const sizeOf = (path) =>
  readdirSync(path, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);

const token = await compileToken();
const anvil = await startAnvil();
try {
  const client = createRpcClient(anvil.url, world);
  const address = (await fill(client, token, transfers)).toLowerCase();
  const last = Number(await client.request("eth_blockNumber", []));
  await mineEmpty(client, 400);
  const built = await buildSubgraph(token.abi, address);

  /** As `run --archive` opens it: whatever was in memory before is read again from the disk. */
  const archived = async () => {
    const { archive } = await openArchive(openArchiveFiles(folder), "mainnet", client);
    return new ArchivedChain(createRpcChain(client), archive, {
      finalOf: (head) => finalBlock(client, head),
      to: last,
    });
  };
  const index = async (chain, archive) => {
    const start = performance.now();
    const { progress, failure } = await run(built, chain, new MemoryStore(built.entities), {
      breathe,
      to: last,
      archive,
    });
    if (failure || progress.handlers < transfers) throw new Error(`only ${progress.handlers} handlers ran`);
    return seconds(start);
  };
  const filling = await archived();
  const first = await index(filling, filling);
  await filling.flush();
  const fromNode = [];
  const fromArchive = [];
  for (let round = 0; round < rounds; round++) {
    fromNode.push(await index(createRpcChain(client)));
    const chain = await archived();
    fromArchive.push(await index(chain, chain));
  }
  const show = (all) => all.map((one) => one.toFixed(2)).join(" ");
  console.log(`${transfers} transfers in ${last} blocks`);
  console.log(`indexed from the node, seconds: ${show(fromNode)}`);
  console.log(`indexed from the node into an archive: ${first.toFixed(2)}`);
  console.log(`indexed from the archive: ${show(fromArchive)}`);
  console.log(`ratio of node to archive: ${(median(fromNode) / median(fromArchive)).toFixed(2)} (wanted: 3)`);
  const [chainFolder] = readdirSync(folder).filter((name) => /^\d+$/.test(name));
  const logs = sizeOf(join(folder, chainFolder, "logs"));
  console.log(`logs on the disk: ${(((logs / transfers) * 1e6) / 1e6).toFixed(1)} MB per million`);

  const extractAll = async (chain, archive, kind) => {
    const source = {
      chain: createPatientChain(chain, new Patience({ limit: 0, pause: async () => {}, chance: () => 0.5 })),
      verification: new Verification("bloom"),
      archive,
    };
    const head = await chain.head();
    const start = performance.now();
    let rows = 0;
    for await (const batch of extract(source, { kind, from: 0, to: last }, head.number))
      rows += batch.rows.length;
    return { rows, perSecond: Math.round(rows / seconds(start)) };
  };
  for (const kind of kinds) {
    const node = await extractAll(createRpcChain(client), undefined, kind);
    const into = await archived();
    await extractAll(into, into, kind);
    await into.flush();
    const kept = await archived();
    const archive = await extractAll(kept, kept, kind);
    console.log(
      `${kind}: ${node.rows} rows, per second ${node.perSecond} from the node, ${archive.perSecond} from the archive`,
    );
  }
} finally {
  anvil.stop();
  rmSync(folder, { recursive: true, force: true });
}
process.exit(0);
