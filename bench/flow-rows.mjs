// Measures whether the memory of a pipeline stays flat over millions of rows: erc20_transfers of a played chain, from an
// archive, through a filter in SQL, into Parquet files or another sink. The pipeline is a process of its own.
// Run: npm run bench:flow-rows [-- <rows> [parquet | partitions | blackhole | postgres]]; ten million by default. Partitions
// are Parquet files in 20 folders. The archive is filled first, by a process of its own, and stays in the folder of
// GRAPHLOOM_BENCH_ARCHIVE if it is set. PostgreSQL is that of GRAPHLOOM_BENCH_POSTGRES, an address of an empty database.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const [rows = "10000000", sink = "parquet"] = process.argv.slice(2);
const command = fileURLToPath(new URL("../dist/cli/main.js", import.meta.url));
const flows = fileURLToPath(new URL("flows.mjs", import.meta.url));
const sinks = {
  parquet: "type: file, path: out, finalized: true",
  partitions: "type: file, path: out, finalized: true, partition_columns: part",
  blackhole: "type: blackhole",
  postgres: "type: postgres, table: transfers, schema: bench_flow_rows, secret_name: PG",
};
if (!sinks[sink]) throw new Error(`there is no sink ${sink}; choose one of ${Object.keys(sinks).join(", ")}`);
const part = sink === "partitions" ? ", log_index % 20 AS part" : "";
const query = `SELECT *${part} FROM transfers WHERE sender <> recipient AND amount > 0`;

/** Fills the archive in a process of its own; how far it goes, and its transfers. */
function filled(archive) {
  const note = join(archive, `bench-${Number(rows)}.json`);
  if (!existsSync(note)) {
    mkdirSync(archive, { recursive: true });
    const start = performance.now();
    writeFileSync(note, execFileSync(process.execPath, [flows, rows, "fill", archive]));
    console.log(`the archive was filled in ${seconds(start)} s`);
  }
  return JSON.parse(readFileSync(note, "utf8"));
}

/** Runs in the pipeline's process: notes resident memory and heap, four times a second. */
function probe(report) {
  return `
    import { writeFileSync } from "node:fs";
    const samples = [];
    setInterval(() => {
      const { rss, heapUsed } = process.memoryUsage();
      samples.push([rss, heapUsed]);
    }, 250).unref();
    process.on("exit", () => writeFileSync(${JSON.stringify(report)}, JSON.stringify(samples)));`;
}

function seconds(start) {
  return ((performance.now() - start) / 1000).toFixed(0);
}

/** The most of each tenth of the time, in MB. */
function tenths(values) {
  return Array.from({ length: 10 }, (_, tenth) => {
    const part = values.slice(
      Math.floor((tenth * values.length) / 10),
      Math.floor(((tenth + 1) * values.length) / 10),
    );
    return Math.round(part.reduce((most, value) => Math.max(most, value), 0) / 1e6);
  });
}

const folder = mkdtempSync(join(tmpdir(), "graphloom-bench-"));
try {
  const archive = process.env.GRAPHLOOM_BENCH_ARCHIVE ?? join(folder, "archive");
  const { last, found } = filled(archive);
  const source = `type: dataset, dataset_name: ethereum.erc20_transfers, start_at: earliest, end_block: ${last}`;
  const yaml = `
name: bench
job: true
sources: { transfers: { ${source} } }
transforms: { chosen: { sql: "${query}", primary_key: id } }
sinks: { out: { from: chosen, ${sinks[sink]} } }
`;
  writeFileSync(join(folder, "flow.yaml"), yaml);
  const report = join(folder, "samples.json");
  const words = ["pipeline", "run", "flow.yaml", "--offline", "--archive", archive];
  const start = performance.now();
  const imported = `data:text/javascript,${encodeURIComponent(probe(report))}`;
  const { status, stderr } = spawnSync(process.execPath, ["--import", imported, command, ...words], {
    cwd: folder,
    env: { ...process.env, GRAPHLOOM_SECRET_PG: process.env.GRAPHLOOM_BENCH_POSTGRES },
    encoding: "utf8",
    maxBuffer: 2 ** 30,
  });
  if (status !== 0) throw new Error(`pipeline run ended with ${status}: ${stderr.slice(-2_000)}`);
  const samples = JSON.parse(readFileSync(report, "utf8"));
  console.log(`${sink}: ${found} transfers in ${seconds(start)} s`);
  for (const [name, index] of [
    ["resident memory", 0],
    ["heap", 1],
  ]) {
    const most = tenths(samples.map((sample) => sample[index]));
    // The first tenth has the start, when little is in memory yet.
    const ratio = (most[9] / most[1]).toFixed(2);
    console.log(`  ${name} in MB, the most of each tenth of the time: ${most.join(" ")}`);
    console.log(`  last tenth against second: ${ratio} (flat: about 1)`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
