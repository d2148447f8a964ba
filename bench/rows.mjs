// Measures whether memory stays flat over millions of rows: followed to the head of a chain, written as table files, and
// extracted into an archive. The chain is played in this process, so what it takes is measured as well.
// Run: npm run bench:rows [-- <rows>]; ten million by default, some minutes for each.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ArchivedChain } from "../dist/datasets/archive/archived-chain.js";
import { openArchive } from "../dist/datasets/archive/open-archive.js";
import { extract } from "../dist/datasets/extract/extract.js";
import { follow } from "../dist/datasets/extract/follow.js";
import { chainWindows } from "../dist/datasets/sync/chain-windows.js";
import { syncTable } from "../dist/datasets/sync/sync-table.js";
import { planWindows } from "../dist/datasets/sync/windows.js";
import { openArchiveFiles } from "../dist/machine/files/archive-files.js";
import { openTableFiles } from "../dist/machine/files/table-files.js";
import { finalBlock } from "../dist/runtime/chain/final-block.js";
import { Patience } from "../dist/runtime/chain/rpc/patience.js";
import { createPatientChain } from "../dist/runtime/chain/rpc/patient-chain.js";
import { createRpcClient } from "../dist/runtime/chain/rpc/rpc-client.js";
import { createRpcChain } from "../dist/runtime/chain/rpc-chain.js";
import { Verification } from "../dist/runtime/indexer/logs/verification.js";
import { world } from "./local-chain.mjs";
import { logsUpTo, playedWorld } from "./played-node.mjs";

const [rows = "10000000", kind] = process.argv.slice(2);
const wanted = Number(rows);
let last = Math.ceil(wanted / 200);
while (logsUpTo(last) < wanted) last += 1;

/** Most memory in each tenth of the rows, in bytes. */
class Tenths {
  #most = Array.from({ length: 10 }, () => ({ rss: 0, heap: 0 }));
  #rows = 0;
  #reached = 0;

  sample(rows) {
    this.#rows = rows;
    const { rss, heapUsed: heap } = process.memoryUsage();
    const tenth = Math.min(9, Math.floor((rows / wanted) * 10));
    if (tenth > this.#reached) console.error(`${tenth} of 10`, this.#most[this.#reached]);
    this.#reached = tenth;
    const most = this.#most[tenth];
    most.rss = Math.max(most.rss, rss);
    most.heap = Math.max(most.heap, heap);
  }

  print(name, seconds) {
    const list = (of) => this.#most.map((one) => Math.round(of(one) / 1e6)).join(" ");
    const [first, end] = [this.#most[0], this.#most[9]];
    console.log(`${name}: ${this.#rows} rows in ${seconds.toFixed(0)} s`);
    console.log(`  resident memory in MB, the most of each tenth: ${list(({ rss }) => rss)}`);
    console.log(`  heap in MB, the most of each tenth: ${list(({ heap }) => heap)}`);
    console.log(
      `  last tenth against first: resident ${(end.rss / first.rss).toFixed(2)}, heap ${(end.heap / first.heap).toFixed(2)} (flat: about 1)`,
    );
  }
}

const client = createRpcClient("http://played", playedWorld(world, last + 64));
const patience = () => new Patience({ limit: 0, pause: async () => {}, chance: () => 0.5 });
const sourceOf = (chain, archive) => ({
  chain: createPatientChain(chain, patience()),
  verification: new Verification("bloom"),
  ...(archive && { archive }),
});

const runs = {
  /** `follow` extracts what is final, then block by block. */
  "raw_logs, followed": async (tenths) => {
    let found = 0;
    const following = { finalOf: (head) => finalBlock(client, head), waitForBlocks: async () => false };
    const what = { kind: "raw_logs", from: 0 };
    for await (const { changes } of follow(sourceOf(createRpcChain(client)), what, following)) {
      found += changes.length;
      tenths.sample(found);
    }
  },
  "raw_logs, written as table files": async (tenths, folder) => {
    const windows = chainWindows(
      sourceOf(createRpcChain(client)),
      { kind: "raw_logs" },
      { newest: last + 64, onReorg: (error) => Promise.reject(error) },
    );
    await syncTable(
      windows,
      "raw_logs",
      planWindows({ from: 0, to: last }, 1_000, []),
      openTableFiles(folder),
      {
        signal: new AbortController().signal,
        onProgress: ({ rows }) => tenths.sample(rows),
        onFile: async () => {},
      },
    );
  },
  "erc20_transfers, extracted into an archive": async (tenths, folder) => {
    const { archive } = await openArchive(openArchiveFiles(folder), "mainnet", client);
    const chain = new ArchivedChain(createRpcChain(client), archive, {
      finalOf: (head) => finalBlock(client, head),
      to: last,
    });
    await chain.head();
    let found = 0;
    const what = { kind: "erc20_transfers", from: 0, to: last };
    for await (const batch of extract(sourceOf(chain, chain), what, last + 64)) {
      found += batch.rows.length;
      tenths.sample(found);
    }
    await chain.flush();
  },
};

if (kind === undefined) {
  // Each in a process of its own, so that one starts with nothing of the other.
  for (const name of Object.keys(runs))
    execFileSync(process.execPath, [fileURLToPath(import.meta.url), rows, name], { stdio: "inherit" });
} else {
  const folder = mkdtempSync(join(tmpdir(), "graphloom-bench-"));
  try {
    const tenths = new Tenths();
    const start = performance.now();
    await runs[kind](tenths, folder);
    tenths.print(kind, (performance.now() - start) / 1000);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
