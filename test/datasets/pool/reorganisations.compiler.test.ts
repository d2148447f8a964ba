import { beforeAll, expect, it } from "vitest";
import type { DatasetKind } from "../../../src/datasets/tables/dataset.js";
import type { BuiltSubgraph } from "../../../src/subgraph/runnable/built-subgraph.js";
import { buildConfig } from "../../runtime/harness.js";
import { cleanRun, everything } from "../../runtime/pool/pool-run.js";
import { runnableOf } from "../../runtime/pool/pool-subgraphs.js";
import { MemoryArchiveFiles } from "../../support/archive/memory-files.js";
import type { TreeBlock } from "../../support/pool/block-tree.js";
import { poolConfigs } from "../../support/pool/contracts.js";
import { Pool } from "../../support/pool/pool.js";
import { archiveFaults } from "./archive-faults.js";
import { entitiesThrough, readAlong, rowsThrough } from "./reading.js";
import { scheduleOf } from "./schedule.js";

/*
 * Some schedules. A campaign runs more of them: GRAPHLOOM_ARCHIVE_SCHEDULES=300 npm run campaign:archive
 * GRAPHLOOM_ARCHIVE_FIRST is the first seed.
 */
const first = Number(process.env.GRAPHLOOM_ARCHIVE_FIRST ?? 1);
const schedules = Number(process.env.GRAPHLOOM_ARCHIVE_SCHEDULES ?? 2);
const datasets: readonly DatasetKind[] = ["raw_blocks", "raw_transactions", "raw_logs", "erc20_transfers"];

let built: BuiltSubgraph;
beforeAll(async () => {
  built = runnableOf(await buildConfig(poolConfigs.reads ?? {}));
});

/** The blocks of a pool's chain up to one, in order. */
function blocksTo(pool: Pool, to: number): readonly TreeBlock[] {
  const blocks: TreeBlock[] = [];
  for (let block: TreeBlock | undefined = pool.tip; block; block = block.parent)
    if (block.number <= to) blocks.unshift(block);
  return blocks;
}

it("INV-D1: an archive matches the final chain, with reorganisations while it is filled", {
  timeout: 100_000_000,
}, async () => {
  const bad: string[] = [];
  const ended: string[] = [];
  let [changes, kept] = [0, 0];
  for (let seed = first; seed < first + schedules; seed++) {
    const { pool: options, readers, to } = scheduleOf(seed);
    const pool = new Pool(options);
    const files = new MemoryArchiveFiles();
    const lives = await Promise.all(readers.map((reader) => readAlong(pool, files, reader, to, built)));
    ended.push(...lives.flat().map((why) => `seed ${seed}: ${why}`));
    changes += pool.changes;
    pool.settle();
    const last = pool.lastUpTo(pool.final ?? 0);
    const blocks = blocksTo(pool, last);
    for (const fault of await archiveFaults(files, { blocks }))
      bad.push(`seed ${seed}, while read: ${fault}`);
    for (const path of files.content.keys()) if (path.includes("/blocks/")) kept += 1;
    if (bad.length > 5) break;
    // A faultless node completes what the archive lacks; then the archive alone gives all of it.
    const truth = pool.faultless(pool.tip.hash);
    const clean = await everything(built, await cleanRun(blocks.at(-1)?.hash ?? "", built, pool));
    for (const node of [truth, undefined]) {
      const how = node ? "completed" : "offline";
      for (const kind of datasets) {
        const rows = await rowsThrough(node, files, kind, last);
        const wanted = await rowsThrough(truth, new MemoryArchiveFiles(), kind, last);
        if (textOf(rows) !== textOf(wanted)) bad.push(`seed ${seed}, ${how}: ${kind} differs`);
      }
      if ((await entitiesThrough(node, files, built, last)) !== clean)
        bad.push(`seed ${seed}, ${how}: the subgraph differs`);
    }
    for (const fault of await archiveFaults(files, { blocks })) bad.push(`seed ${seed}, completed: ${fault}`);
  }
  console.log(
    `${schedules} schedules, ${changes} reorganisations, ${kept} files of blocks; ${ended.length} readers gave up\n${ended.slice(0, 5).join("\n")}`,
  );
  expect(bad.slice(0, 5)).toEqual([]);
});

function textOf(rows: readonly unknown[]): string {
  return JSON.stringify(rows, (_, one: unknown) => (typeof one === "bigint" ? `${one}n` : one));
}
