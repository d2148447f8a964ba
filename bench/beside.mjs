// Measures a pipeline beside Ponder in one run: both read the transfers of the same chain from the same node, and write them
// into the same PostgreSQL server, in turn. Then their tables are compared row by row.
// Run: npm run bench:beside [-- <transfers>]; 10,000 by default. Ponder is installed from npm beside the project the first time;
// GRAPHLOOM_BENCH_PONDER names another folder for it. PostgreSQL is that of GRAPHLOOM_BENCH_POSTGRES, an address of an empty
// database, or else a server that this starts. ROUNDS is how often, 3.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createRpcClient } from "../dist/runtime/chain/rpc/rpc-client.js";
import { postgresPrograms, startPostgres } from "./disposable-postgres.mjs";
import { installPonder, runPonder } from "./ponder.mjs";
import { measure, median } from "./process.mjs";
import { compileToken, fill, mineEmpty, startAnvil, world } from "./transfers.mjs";

const wanted = Number(process.argv[2] ?? 10_000);
const rounds = Number(process.env.ROUNDS ?? 3);
const command = fileURLToPath(new URL("../dist/cli/main.js", import.meta.url));

function sql(address, query) {
  const words = [address, "-qAtc", query];
  return execFileSync(join(postgresPrograms, "psql"), words, { encoding: "utf8" }).trim();
}

/** Runs the pipeline as its users do; seconds, CPU seconds and megabytes of its process, from its start to its end. */
function runOurs(folder, { url, last, address }) {
  const source = `type: dataset, dataset_name: anvil.erc20_transfers, start_at: earliest, end_block: ${last}`;
  const yaml = `
name: beside
job: true
sources: { transfers: { ${source} } }
transforms:
  chosen:
    sql: SELECT id, block_number, block_timestamp, transaction_hash, log_index, address, sender, recipient, amount FROM transfers
    primary_key: id
sinks: { out: { type: postgres, from: chosen, table: transfers, schema: ours, secret_name: PG } }
`;
  writeFileSync(join(folder, "beside.yaml"), yaml);
  const words = [command, "pipeline", "run", "beside.yaml", "--rpc", `anvil=${url}`];
  return measure(folder, words, { GRAPHLOOM_SECRET_PG: address });
}

/** How many rows only one of both has, or has otherwise. */
const differences = `
select count(*) from (
  select block_number::numeric, log_index::numeric, block_timestamp::numeric, transaction_hash, address, sender, recipient, amount::numeric
  from ours.transfers
) o full join (
  select block_number::numeric, split_part(id, '-', 2)::numeric log_index, "timestamp"::numeric, transaction_hash, contract_id, "from", "to", value::numeric
  from bench.transfer
) p using (block_number, log_index)
where (o.block_timestamp, o.transaction_hash, o.address, o.sender, o.recipient, o.amount)
  is distinct from (p."timestamp", p.transaction_hash, p.contract_id, p."from", p."to", p.value)`;

function clean(address) {
  const schemas = ["ours", "bench", "ponder_sync", "graphloom_flows"];
  const drops = schemas.map((schema) => `drop schema if exists ${schema} cascade;`);
  sql(address, ["set client_min_messages = warning;", ...drops].join(" "));
}

async function compare(address, { url, last, chain }) {
  const folder = mkdtempSync(join(tmpdir(), "graphloom-bench-"));
  const [ours, theirs] = [[], []];
  try {
    for (let round = 0; round < rounds; round += 1) {
      clean(address);
      ours.push(runOurs(folder, { url, last, address }));
      theirs.push(await runPonder(chain, wanted, address));
      const different = Number(sql(address, differences));
      if (different > 0) throw new Error(`${different} rows differ`);
    }
    clean(address);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  const rate = (list, take) => Math.round(wanted / median(list.map(take)));
  const cpu = (list, take) => `${((median(list.map(take)) / wanted) * 1e6).toFixed(0)} µs of CPU a row`;
  const memory = (list) => `${Math.round(median(list.map(({ megabytes }) => megabytes)))} MB`;
  const [whole, theirWhole] = [rate(ours, ({ seconds }) => seconds), rate(theirs, (one) => one.whole)];
  console.log(
    `${wanted} transfers in ${last + 1} blocks, the same rows in both tables in each of ${rounds} rounds`,
  );
  console.log(`ours:   ${whole} rows/s with its start, ${cpu(ours, (one) => one.cpu)}, ${memory(ours)}`);
  const indexing = `${rate(theirs, ({ seconds }) => seconds)} rows/s without`;
  console.log(
    `Ponder: ${theirWhole} rows/s with its start, ${indexing}, ${cpu(theirs, (one) => one.wholeCpu)}, ${memory(theirs)}`,
  );
  console.log(`ours is ${(whole / theirWhole).toFixed(1)} times as fast`);
}

async function main() {
  const before = loadavg()[0].toFixed(1);
  const missing = postgresPrograms === undefined ? "PostgreSQL is not installed" : installPonder();
  if (missing) return void console.log(`skipped: ${missing}`);
  const given = process.env.GRAPHLOOM_BENCH_POSTGRES;
  const server = given ? { address: given, stop: () => {} } : await startPostgres();
  const token = await compileToken();
  const anvil = await startAnvil();
  try {
    const client = createRpcClient(anvil.url, world);
    const contract = (await fill(client, token, wanted)).toLowerCase();
    const last = Number(await client.request("eth_blockNumber", []));
    // Blocks so far below the head are as good as final.
    await mineEmpty(client, 300);
    const chain = { url: anvil.url, address: contract, abi: token.abi, last };
    await compare(server.address, { url: anvil.url, last, chain });
  } finally {
    anvil.stop();
    await server.stop();
  }
  console.log(`load ${before} to ${loadavg()[0].toFixed(1)}`);
}

await main();
process.exit(0);
