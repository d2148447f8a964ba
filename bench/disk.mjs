// Measures what a million logs take on the disk: in an archive and as table files, against the same logs in the columns of
// cryo (Parquet, with its default compression and with Zstandard) and of ethereum-etl (CSV), which DuckDB writes.
// Run: npm run bench:disk [-- <logs>]; a million by default
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { ChainArchive } from "../dist/datasets/archive/chain-archive.js";
import { ParquetPieces } from "../dist/datasets/parquet/write-parquet.js";
import { logRow } from "../dist/datasets/rows/raw-rows.js";
import { RowGroup } from "../dist/datasets/sync/window-pieces.js";
import { parquetColumns } from "../dist/datasets/tables/dataset.js";
import { datasets } from "../dist/datasets/tables/datasets.js";
import { openArchiveFiles } from "../dist/machine/files/archive-files.js";
import { blockHash, transactionsOf, transferTopic } from "./realistic-logs.mjs";

const wanted = Number(process.argv[2] ?? 1_000_000);
const blocksAtOnce = 50;
const folder = mkdtempSync(join(tmpdir(), "graphloom-bench-"));
const sizeOf = (path) =>
  readdirSync(path, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);

function logsOfBlock(number) {
  const block = { number, hash: blockHash(number) };
  return transactionsOf(number).flatMap(({ hash, index, logs }) =>
    logs.map((log) => ({
      ...log,
      block,
      transactionHash: hash,
      transactionIndex: index,
      removed: false,
    })),
  );
}

try {
  const archive = await ChainArchive.open({
    files: openArchiveFiles(join(folder, "archive")),
    folder: "1",
    chainId: "1",
  });
  const columns = [...parquetColumns(datasets.raw_logs), { name: "dt", type: "string" }];
  mkdirSync(join(folder, "tables"));
  let [logs, accounts] = [0, new Set()];
  // A file of external-data for each 1,000 blocks.
  let file;
  let group;
  let pieces = [];
  const endFile = async (name) => {
    if (!file) return;
    pieces.push(file.add(group.take()), file.finish());
    await writeFile(join(folder, "tables", `${name}.parquet`), Buffer.concat(pieces));
    file = undefined;
  };
  for (let from = 0; logs < wanted; from += blocksAtOnce) {
    if (from % 1_000 === 0) {
      await endFile(from);
      [file, group, pieces] = [new ParquetPieces(columns), new RowGroup(columns, { dt: "2026-01-01" }), []];
    }
    const found = [];
    for (let number = from; number < from + blocksAtOnce; number++) found.push(...logsOfBlock(number));
    for (const log of found) {
      for (const topic of log.topics.slice(1)) accounts.add(topic);
      group.add(logRow(log, BigInt(1_700_000_000 + 12 * log.block.number)));
      if (group.isFull) pieces.push(file.add(group.take()));
    }
    const filter = [{ addresses: [], topics: [transferTopic] }];
    await archive.addLogs({ from, to: from + blocksAtOnce - 1 }, filter, "bloom", found);
    logs += found.length;
  }
  await endFile("last");
  await archive.flush();

  const { path: duck } = { path: join(folder, "tables", "*.parquet") };
  const connection = await (await DuckDBInstance.create(":memory:")).connect();
  const bytes = (column) => `unhex(${column}[3:])`;
  const topic = (index) => `${bytes(`string_split(topics, ',')[${index}]`)} as topic${index - 1}`;
  const asCryo = `
    select block_number::uinteger as block_number, transaction_index::uinteger as transaction_index,
      log_index::uinteger as log_index, ${bytes("transaction_hash")} as transaction_hash, ${bytes("address")} as address,
      ${[1, 2, 3, 4].map(topic).join(", ")}, ${bytes("data")} as data,
      ((length(data) - 2) / 2)::uinteger as n_data_bytes, 1::ubigint as chain_id
    from read_parquet('${duck}', hive_partitioning = false) order by block_number, log_index`;
  const asEtl = `
    select log_index, transaction_hash, transaction_index, block_hash, block_number, address, data, topics
    from read_parquet('${duck}', hive_partitioning = false) order by block_number, log_index`;
  const write = async (name, query, options) => {
    const path = join(folder, name);
    await connection.run(`copy (${query}) to '${path}' (${options})`);
    return statSync(path).size;
  };
  const perMillion = (size) => (size / logs) * 1e6;
  const sizes = {
    "archive: logs":
      sizeOf(join(folder, "archive", "1", "logs")) + sizeOf(join(folder, "archive", "1", "claims")),
    "table files: raw_logs": sizeOf(join(folder, "tables")),
    "cryo's columns, LZ4": await write("lz4.parquet", asCryo, "format parquet, compression lz4"),
    "cryo's columns, Zstandard": await write("zstd.parquet", asCryo, "format parquet, compression zstd"),
    "ethereum-etl's columns, CSV": await write("logs.csv", asEtl, "format csv"),
  };
  console.log(`${logs} transfers of ERC-20 tokens between ${accounts.size} accounts`);
  const cryo = sizes["cryo's columns, LZ4"];
  for (const [name, size] of Object.entries(sizes))
    console.log(
      `${name}: ${(perMillion(size) / 1e6).toFixed(1)} MB per million, ${(size / cryo).toFixed(2)} of cryo's columns in LZ4`,
    );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exit(0);
