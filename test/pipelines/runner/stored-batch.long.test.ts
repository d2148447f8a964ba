import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { transferTopics } from "../../../src/datasets/rows/transfer-rows.js";
import { openTableFiles } from "../../../src/machine/files/table-files.js";
import { sumOfRows } from "../../../src/pipelines/changes/row-hash.js";
import { joinRows, type Rows } from "../../../src/pipelines/changes/rows.js";
import { NodeFigures } from "../../../src/pipelines/host/figures.js";
import { NodeTap } from "../../../src/pipelines/host/node-tap.js";
import type { PipelinePlan, PlannedSink, PlannedSource } from "../../../src/pipelines/plan/pipeline-plan.js";
import { openProgram } from "../../../src/pipelines/runner/program.js";
import { runSink } from "../../../src/pipelines/runner/run-sink.js";
import { windowLayout } from "../../../src/pipelines/sinks/file/open-layout.js";
import { readEntry, readWindow, storedColumns } from "../../../src/pipelines/sinks/file/window-file.js";
import { openSink } from "../../../src/pipelines/sinks/open-sink.js";
import type { SinkWorld } from "../../../src/pipelines/sinks/opening.js";
import type { Sink, StoredBatch } from "../../../src/pipelines/sinks/sink.js";
import type { SinkBatch } from "../../../src/pipelines/state/sink-batch.js";
import type { LogFilter } from "../../../src/runtime/chain/chain.js";
import type { Put } from "../../support/archive/made-chain.js";
import { testFolder } from "../../support/folder.js";
import {
  archiveParts,
  type TransferChain,
  type TransferOptions,
  tokens,
  transferChain,
  transferPart,
  transferParts,
  transferSource,
} from "../../support/pipelines/archived-transfers.js";
import { onlySql } from "../../support/pipelines/law-pipeline.js";
import { soundPipeline } from "../../support/pipelines/planned-pipeline.js";
import { randomOf } from "../../support/pipelines/random.js";

const transfers: LogFilter = [{ addresses: [], topics: [transferTopics.transfer] }];
const everything: LogFilter = [{ addresses: [], topics: undefined }];
const contract = (index: number): LogFilter => [
  { addresses: [tokens[index] ?? ""], topics: [transferTopics.transfer] },
];

/** Seeds of random archives: one, or what the campaign says. */
const seeds = Array.from({ length: Number(process.env.GRAPHLOOM_LAW_SEEDS ?? 1) }, (_, index) => index + 1);

/** A flow from a dataset through SQL into a sink. */
function pipelineOf(
  dataset: string,
  { filter = "true", sql = "SELECT * FROM given", sink = "type: blackhole" },
): Promise<PipelinePlan> {
  return soundPipeline(`
name: f
sources: { given: { type: dataset, dataset_name: ethereum.${dataset}, start_at: earliest, filter: "${filter}" } }
transforms: { chosen: { sql: "${sql}", primary_key: id } }
sinks: { out: { from: chosen, ${sink} } }
`);
}

/** What came to a sink. */
interface Taken {
  readonly rows: Rows;
  readonly next: number | undefined;
  readonly ledger: { readonly rows: number; readonly sum: bigint };
  /** How many batches were stored. */
  readonly stored: number;
  /** Why others were not. */
  readonly slower: readonly string[];
}

/** Who wants to know of rows. */
interface Known {
  readonly tap?: NodeTap;
  readonly counter?: NodeFigures;
}

/** Runs a flow into a sink that keeps everything in memory. */
async function take(
  plan: PipelinePlan,
  options: TransferOptions,
  limits = { rows: 60, blocks: 1_000 },
  known: Known = {},
  why?: string,
): Promise<Taken> {
  const parts: Rows[] = [];
  let [next, stored, rows, sum]: [number | undefined, number, number, bigint] = [undefined, 0, 0, 0n];
  const note = ({ position, ledger, from }: SinkBatch | StoredBatch): void => {
    expect(from).toBe(next ?? 0);
    next = position.next;
    rows += ledger?.rows ?? 0;
    sum += ledger?.sum ?? 0n;
  };
  const sink: Sink = {
    positions: new Map(),
    write: async (batch) => {
      note(batch);
      parts.push(batch.changes.rows);
    },
    storedWriting: {
      limits,
      write: async (batch, onSlower) => {
        note(batch);
        stored += 1;
        if (why !== undefined) onSlower(why);
        parts.push(await batch.stored.rows());
        return true;
      },
    },
    close: async () => undefined,
  };
  const slower = await run(plan, sink, options, known);
  const taken = joinRows(parts, plan.sinks[0]?.schema.columns.length ?? 0);
  return { rows: taken, next, ledger: { rows, sum: BigInt.asUintN(128, sum) }, stored, slower };
}

/** @returns why rows went the slower way */
async function run(
  plan: PipelinePlan,
  writer: Sink,
  options: TransferOptions,
  known: Known = {},
): Promise<readonly string[]> {
  const slower: string[] = [];
  const [sink, source] = [plan.sinks[0] as PlannedSink, plan.sources[0] as PlannedSource];
  const program = await openProgram(plan, sink, { ...onlySql, ...known });
  try {
    const opened = await transferSource(source, options);
    await runSink(sink, writer, program, () => opened, {
      signal: new AbortController().signal,
      onProgress: () => undefined,
      onSlower: (why) => slower.push(why),
      tap: known.tap,
    });
    return slower;
  } finally {
    await program.close();
  }
}

/** An archive of a chain: parts that overlap, some of all logs, and one range that it lacks. */
async function randomArchive(random: () => number, chain: TransferChain): Promise<string> {
  const folder = testFolder();
  const parts = [];
  const gap = Math.floor(random() * chain.last);
  for (let from = 0; from <= chain.last; ) {
    const to = Math.min(chain.last, from + Math.floor(random() * 20));
    const isGap = from <= gap && gap <= to;
    const further = Math.min(chain.last, to + 8);
    const ranges =
      random() < 0.3 && further > to + 4
        ? ([
            [from, to],
            [to + 5, further],
          ] as const)
        : ([[from, to]] as const);
    if (!isGap) parts.push(transferParts(chain, ranges, random() < 0.5 ? transfers : everything));
    from = isGap ? to + 1 : to + 1 - Math.floor(random() * 3) * (random() < 0.4 ? 1 : 0);
    from = Math.max(from, (parts.at(-1)?.claim?.from ?? 0) + 1);
  }
  await archiveParts(folder, parts);
  return folder;
}

it.each<[string, string, object]>([
  ["erc20_transfers", "all of them", {}],
  ["erc20_transfers", "those of some contracts", { filter: `address IN ('${tokens[0]}', '${tokens[2]}')` }],
  [
    "erc20_transfers",
    "two branches",
    { sql: "SELECT 'a' || id AS id, amount + 1 AS more FROM given UNION ALL SELECT id, amount FROM given" },
  ],
  ["erc721_transfers", "all of them", { sql: "SELECT *, token_id > 7 AS is_large FROM given" }],
  ["raw_logs", "those of one contract", { filter: `address = '${tokens[1]}'` }],
])("the runner returns the same rows, ledger and position of %s, whether rows are read or stay in files: %s", async (dataset, _, flow) => {
  const plan = await pipelineOf(dataset, flow);
  for (const seed of seeds) {
    const random = randomOf(seed);
    const chain = transferChain(random, 80);
    const folder = await randomArchive(random, chain);
    const options = { chain, folder, final: 80 - Math.floor(random() * 20) };
    const read = await take(plan, { ...options, mayStay: false });
    const stayed = await take(plan, { ...options, mayStay: true });
    expect(read.stored).toBe(0);
    expect(stayed.stored, `seed ${seed}`).toBeGreaterThan(0);
    expect(sorted(stayed.rows), `seed ${seed}`).toEqual(sorted(read.rows));
    expect({ ...stayed, rows: 0, stored: 0 }).toEqual({ ...read, rows: 0, stored: 0 });
    expect(stayed.ledger.sum).toBe(sumOfRows(stayed.rows));
  }
});

it.each<[string, (chain: TransferChain) => Put[]]>([
  [
    "overlap",
    (chain) => [
      transferPart(chain, 100, 150, transfers),
      transferPart(chain, 0, 60, transfers),
      transferPart(chain, 40, 110, everything),
    ],
  ],
  [
    "have blocks between those of others",
    (chain) => [
      transferParts(
        chain,
        [
          [0, 30],
          [61, 90],
        ],
        transfers,
      ),
      transferParts(
        chain,
        [
          [31, 60],
          [91, 120],
        ],
        transfers,
      ),
      transferParts(chain, [[121, 130]], everything),
      transferParts(chain, [[131, 150]], transfers),
    ],
  ],
  [
    "have logs of one contract each",
    (chain) => [
      transferPart(chain, 0, 150, contract(0)),
      transferParts(
        chain,
        [
          [0, 40],
          [101, 150],
        ],
        contract(1),
      ),
      transferParts(chain, [[30, 110]], contract(1)),
      transferPart(chain, 0, 150, contract(2)),
    ],
  ],
])("the runner keeps the order of blocks and logs if files %s", async (_, partsOf) => {
  const chain = transferChain(randomOf(7), 150);
  const folder = testFolder();
  await archiveParts(folder, partsOf(chain));
  const options = { chain, folder, final: 150, mayStay: true };
  const filter = `address IN (${tokens.map((token) => `'${token}'`).join(", ")})`;
  const plan = await pipelineOf("erc20_transfers", { filter });
  const stayed = await take(plan, options, { rows: 1_000, blocks: 1_000 });
  expect(stayed.stored).toBe(1);
  expect(stayed.rows).toEqual((await take(plan, { ...options, mayStay: false })).rows);
  expect(chain.asked.size).toBe(0);
});

it("the runner asks the node for blocks that the archive lacks, and for no others", async () => {
  const chain = transferChain(randomOf(8), 150);
  const folder = testFolder();
  await archiveParts(folder, [
    transferPart(chain, 0, 59, transfers),
    transferPart(chain, 80, 150, transfers),
  ]);
  const plan = await pipelineOf("erc20_transfers", {});
  const { stored, next } = await take(plan, { chain, folder, final: 150, mayStay: true });
  expect([...chain.asked].sort((one, other) => one - other)).toEqual(
    Array.from({ length: 20 }, (_, at) => 60 + at),
  );
  expect(stored).toBeGreaterThan(1);
  expect(next).toBe(151);
});

it("the runner reads the rows of blocks that may be replaced", async () => {
  const chain = transferChain(randomOf(9), 150);
  const folder = testFolder();
  await archiveParts(folder, [transferPart(chain, 0, 150, transfers)]);
  const plan = await pipelineOf("erc20_transfers", {});
  const limits = { rows: 1_000, blocks: 1_000 };
  const options = { chain, folder, final: 99, mayStay: true };
  const { stored, rows, slower } = await take(plan, options, limits, undefined, "were inserted");
  expect(stored).toBe(1);
  expect(slower).toEqual([expect.stringMatching(/^blocks 0 to \d+ of given were inserted$/)]);
  expect(rows).toEqual((await take(plan, { chain, folder, final: 99, mayStay: false })).rows);
});

it("the runner reads rows whose blocks the archive lacks", async () => {
  const chain = transferChain(randomOf(10), 60);
  const folder = testFolder();
  const { logs, claim } = transferPart(chain, 0, 60, transfers);
  await archiveParts(folder, [{ logs: logs ?? [], ...(claim && { claim }) }]);
  const plan = await pipelineOf("erc20_transfers", {});
  const { stored, rows, slower } = await take(plan, { chain, folder, final: 60, mayStay: true });
  expect(stored).toBe(0);
  expect(rows.count).toBeGreaterThan(0);
  expect(slower[0]).toMatch(/^blocks 0 to \d+ of given are read row by row: .*a block is missing$/);
});

it("the runner writes rows one by one if several have the same key, and the last one stays", async () => {
  const chain = transferChain(randomOf(11), 100);
  const folder = testFolder();
  await archiveParts(folder, [transferPart(chain, 0, 100, transfers)]);
  const plan = await pipelineOf("erc20_transfers", { sql: "SELECT address AS id, amount FROM given" });
  const limits = { rows: 1_000, blocks: 1_000 };
  const { stored, rows, ledger } = await take(plan, { chain, folder, final: 100, mayStay: true }, limits);
  expect(stored).toBe(0);
  expect(rows.columns[0]).toHaveLength(tokens.length);
  const read = await take(plan, { chain, folder, final: 100, mayStay: false });
  expect(ledger).toEqual(read.ledger);
  for (const [index, id] of (rows.columns[0] ?? []).entries())
    expect(rows.columns[1]?.[index]).toBe(
      read.rows.columns[1]?.[read.rows.columns[0]?.lastIndexOf(id) ?? -1],
    );
});

it("the runner does not use a file that does not match its checksum", async () => {
  const chain = transferChain(randomOf(12), 60);
  const folder = testFolder();
  await archiveParts(folder, [transferPart(chain, 0, 60, transfers)]);
  const files = openTableFiles(folder);
  const [path = ""] = (await files.list("1/logs")).filter((name) => name.endsWith(".parquet"));
  const bytes = await files.bytes(path);
  await files.write(path, (bytes ?? new Uint8Array()).with(40, 1 ^ (bytes?.[40] ?? 0)));
  const plan = await pipelineOf("erc20_transfers", {});
  const { stored, rows } = await take(plan, { chain, folder, final: 60, mayStay: true });
  expect(stored).toBe(0);
  expect(rows).toEqual((await take(plan, { chain, folder, final: 60, mayStay: false })).rows);
});

it.each([
  ["blocks_per_file: 30", 1_000],
  ["blocks_per_file: 30, rows_per_file: 12", 12],
  ["blocks_per_file: 30, bytes_per_file: 4000, compression: gzip, row_group_size: 5", 20],
])("the runner writes stored rows to files with the same columns, windows and ledger entries as other rows, with %s", async (settings, most) => {
  const chain = transferChain(randomOf(13), 150);
  const folder = testFolder();
  await archiveParts(folder, [
    transferPart(chain, 0, 70, transfers),
    transferPart(chain, 90, 150, transfers),
  ]);
  const sql =
    "SELECT id, amount, block_number, amount > 1000 AS is_large, make_timestamp(block_number) AS at, block_number / 7 AS share, [sender, recipient] AS both, to_json(sender) AS json, CASE WHEN amount > 5 THEN sender END AS maybe FROM given";
  const plan = await pipelineOf("erc20_transfers", {
    sql,
    sink: `type: file, path: out, finalized: true, ${settings}`,
  });
  const sink = plan.sinks[0] as PlannedSink;
  const columns = storedColumns(sink.schema.columns);
  const read = async (mayStay: boolean): Promise<Rows> => {
    const out = testFolder();
    const world = { openFiles: () => openTableFiles(out) } as unknown as SinkWorld;
    const writer = await openSink(sink, { flow: "f", sources: ["given"] }, world);
    await run(plan, writer, { chain, folder, final: 150, mayStay });
    await writer.close();
    const parts: Rows[] = [];
    let next = 0;
    for (const name of readdirSync(join(out, "given")).sort()) {
      const bytes = readFileSync(join(out, "given", name));
      const rows = await readWindow(bytes, columns);
      const [, from, to] = /^(\d+)-(\d+)\.parquet$/.exec(name) ?? [];
      expect(Number(from)).toBe(next);
      if (mayStay) expect(Number(to) - Number(from)).toBeLessThan(30);
      if (from !== to) expect(rows.count).toBeLessThanOrEqual(most);
      next = Number(to) + 1;
      const entry = await readEntry(async () => bytes);
      expect(entry).toEqual({ from: Number(from), to: Number(to), rows: rows.count, sum: sumOfRows(rows) });
      parts.push(rows);
    }
    expect(next).toBe(151);
    const reopened = await openSink(sink, { flow: "f", sources: ["given"] }, world);
    expect(reopened.positions.get("given")?.next).toBe(151);
    await reopened.close();
    return joinRows(parts, columns.length);
  };
  expect(await read(true)).toEqual(await read(false));
});

it("the runner partitions stored rows by values like other rows", async () => {
  const chain = transferChain(randomOf(14), 120);
  const folder = testFolder();
  await archiveParts(folder, [transferPart(chain, 0, 120, transfers)]);
  const plan = await pipelineOf("erc20_transfers", {
    sql: "SELECT *, CASE WHEN log_index > 1 THEN left(recipient, 3) || '=/%' END AS person, log_index % 2 AS parity, amount > 1000 AS is_large FROM given",
    sink: "type: file, path: out, finalized: true, blocks_per_file: 30, partition_columns: 'is_large, person, parity'",
  });
  const sink = plan.sinks[0] as PlannedSink;
  const written = async (mayStay: boolean): Promise<readonly string[]> => {
    const out = testFolder();
    const world = { openFiles: () => openTableFiles(out) } as unknown as SinkWorld;
    const writer = await openSink(sink, { flow: "f", sources: ["given"] }, world);
    expect(await run(plan, writer, { chain, folder, final: 120, mayStay })).toEqual([]);
    await writer.close();
    const layout = windowLayout({
      files: openTableFiles(out),
      columns: sink.schema.columns,
      partitions: ["is_large", "person", "parity"],
    });
    const paths = (await openTableFiles(out).list(".")).filter((path) => path.startsWith("given/"));
    const windows = layout.windowsOf("given", paths);
    if (mayStay) expect(windows.length).toBeGreaterThan(3);
    const parts: Rows[] = [];
    const known: string[] = [];
    for (const { from = -1, to = -1 } of windows as readonly { from?: number; to?: number }[]) {
      const rows = await layout.read("given", { from, to }, (note) => expect(note).toBe(""), true);
      const entry = { from, to, rows: rows.count, sum: sumOfRows(rows) };
      expect(await layout.entryOf("given", { from, to })).toEqual(entry);
      known.push(...(await layout.pathsOf("given", { from, to }, [])));
      parts.push(rows);
    }
    expect(known.sort()).toEqual([...paths].sort());
    return sorted(joinRows(parts, sink.schema.columns.length));
  };
  const stayed = await written(true);
  expect(stayed.length).toBeGreaterThan(100);
  expect(stayed).toEqual(await written(false));
});

function sorted({ count, columns }: Rows): readonly string[] {
  const texts = Array.from({ length: count }, (_, row) =>
    JSON.stringify(
      columns.map((column) => column[row] ?? null),
      (_key, value) => (typeof value === "bigint" ? `${value}n` : value),
    ),
  );
  return texts.sort();
}

it("the runner shows some of the rows that stay in files without moving them, and counts them all", async () => {
  const plan = await pipelineOf("erc20_transfers", {
    sql: "SELECT id, amount FROM given WHERE amount > 3",
  });
  const chain = transferChain(randomOf(1), 80);
  const options = { chain, folder: await randomArchive(randomOf(1), chain), final: 80, mayStay: true };
  const plain = await take(plan, options);
  const tap = new NodeTap(() => 0);
  tap.watch(["given", "chosen", "out"]);
  const counter = new NodeFigures(() => 0);
  const watched = await take(plan, options, undefined, { tap, counter });
  expect({ ...watched, rows: sorted(watched.rows) }).toEqual({ ...plain, rows: sorted(plain.rows) });
  const all = await take(await pipelineOf("erc20_transfers", {}), options);
  expect(watched.stored).toBeGreaterThan(0);
  expect(counter.read()).toMatchObject({
    given: { rows: all.rows.count },
    chosen: { rows: plain.rows.count },
  });
  const shown = tap.flush();
  expect(shown.map(({ node }) => node)).toEqual(["given", "chosen", "out"]);
  const ids = new Set(plain.rows.columns[0]);
  for (const { node, rows } of shown) {
    expect(rows.length).toBeGreaterThan(0);
    if (node !== "given") expect(rows.every(({ json }) => ids.has(JSON.parse(json).id))).toBe(true);
  }
});
