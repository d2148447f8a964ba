// Fills the tables of the data service as large as bench/data.mjs wants them. The tables are those that the product makes;
// only their rows come by bulk SQL.
import { createHash } from "node:crypto";
import { addFilledChain } from "../dist/data/chains/filled-chains.js";
import { chainPipeline } from "../dist/data/filling/chain-pipeline.js";
import { createChainTables, pipelineOf, schemaOf } from "../dist/data/filling/chain-tables.js";
import { openDuckDb } from "../dist/pipelines/machine/duckdb/open-duckdb.js";
import { planDocument } from "../dist/pipelines/plan/plan-document.js";
import { AggregateTable } from "../dist/pipelines/sinks/postgres-aggregate/aggregate-table.js";
import { aggregationOf } from "../dist/pipelines/sinks/postgres-aggregate/open-postgres-aggregate.js";
import { migrate } from "../dist/store/database/migrate.js";

export const chainName = "ethereum";
const schema = schemaOf(chainName);
/** Transfers of a block. */
const perBlock = 100;
/** Blocks that a reorganisation may still replace. */
const open = 64;
const firstTime = 1_700_000_000;
const tokens = 2_000;
/** Tokens that have prices: one in twenty of all, and one in five of those that are moved. */
const priced = 100;

const addressText = (kind, n) =>
  `('0x' || substr(md5('${kind}' || ${n}), 1, 32) || lpad(to_hex(${n}), 8, '0'))`;
const hashText = (kind, n) => `('0x' || md5('${kind}' || ${n}) || md5('${kind}.' || ${n}))`;

/** A number below another one. With a power, low numbers are drawn very often. */
const drawn = (most, power) => `floor(${most} * power(random(), ${power}))::bigint`;

/**
 * Fills the tables, if they have not as many transfers already.
 * @returns what is there
 */
export async function fillData(database, transfers) {
  const blocks = Math.max(2_000, Math.ceil(transfers / perBlock));
  const wallets = Math.max(1_000, Math.ceil(transfers / 10));
  await migrate(database);
  if ((await moved(database)) !== 2 * transfers) await fill(database, { transfers, blocks, wallets });
  const rows = await moved(database);
  const sample = async (text) => (await database.query(text)).map(({ text: value }) => value);
  const hashes = await sample(
    `select hash as text from ${schema}.blocks where number % greatest(1, ${blocks} / 1000) = 0`,
  );
  const addresses = await sample(
    `select token as text from graphloom.data_registry where chain = '${chainName}'`,
  );
  return { rows, wallets, blocks, firstTime, hashes, tokens: addresses };
}

/** The address of a wallet by its number: the lowest are the busiest. */
export function walletAddress(n) {
  const digest = createHash("md5").update(`w${n}`).digest("hex");
  return `0x${digest}${n.toString(16).padStart(8, "0")}`;
}

async function moved(database) {
  const [there] = await database.query(`select to_regclass('${schema}.balances') as name`);
  if (there.name === null) return 0;
  const [found] = await database.query(`select count(*) as rows from ${schema}.transfers`);
  return Number(found.rows);
}

async function fill(database, { transfers, blocks, wallets }) {
  await database.run(`drop schema if exists ${schema} cascade`);
  await createChainTables(database, chainName);
  await addFilledChain(database, { chain: chainName, firstBlock: 0, natives: true });
  await database.run(`delete from graphloom.data_registry where chain = '${chainName}';
    delete from graphloom.data_tokens where chain = '${chainName}'; delete from graphloom.data_prices where chain = '${chainName}'`);
  // An index is made faster once the rows are there.
  const indexes = await database.query(
    `select indexname, indexdef from pg_indexes where schemaname = '${schema}' and indexname like '%\\_wallet'`,
  );
  for (const { indexname } of indexes) await database.run(`drop index ${schema}.${indexname}`);
  await database.run(`
    insert into ${schema}.blocks
    select n, ${firstTime} + 12 * n, ${hashText("b", "n")}, ${hashText("b", "(n - 1)")}, ${addressText("m", "(n % 100)")}, 50000,
      ${hashText("r", "n")}, ${hashText("t", "n")}, ${hashText("s", "n")}, ${hashText("u", "0")}, 150, 7000000000, 30000000, 15000000
    from generate_series(0::bigint, ${blocks - 1}) n`);
  // A cube draws few wallets very often: the first has a hundredth of all.
  const halves = (table, many, token) => `
    insert into ${schema}.${table} (block_number, sequence, block_timestamp, transaction_hash, wallet, counterparty, token, amount)
    select block, (place * 16777216 + 1) * 2 + half, ${firstTime} + 12 * block, ${hashText("x", "n")},
      case half when 0 then sender else recipient end, case half when 0 then recipient else sender end, token,
      case half when 0 then -amount else amount end
    from (
      select n, n / ${Math.ceil(many / blocks)} as block, n % ${Math.ceil(many / blocks)} as place, amount, ${token} as token,
        ${addressText("w", "sender")} as sender, ${addressText("w", "recipient")} as recipient
      from (
        select n, ${drawn(wallets, 3)} as sender, ${drawn(wallets, 3)} as recipient, ${drawn(tokens, 2)} as token,
          floor(random() * 1e18)::numeric as amount
        from generate_series(0::bigint, ${many - 1}) n offset 0
      ) numbers offset 0
    ) drawn cross join (values (0), (1)) sides (half)`;
  await database.transaction(async (sql) => {
    await sql.run(`select setseed(0.5)`);
    await sql.run(halves("transfers", transfers, addressText("t", "token")));
    await sql.run(halves("natives", Math.ceil(transfers / 10), `'0x${"0".repeat(40)}'`));
  });
  for (const { indexdef } of indexes) await database.run(indexdef);
  await fillCatalog(database, blocks);
  await placeTables(database, blocks);
  await sumUp(database);
  for (const table of ["blocks", "transfers", "natives", "balances"])
    await database.run(`vacuum analyze ${schema}.${table}`);
}

/** What is known of tokens, and prices for each hour. */
async function fillCatalog(database, blocks) {
  await database.run(`
    insert into graphloom.data_tokens (chain, token, symbol, name, decimals)
    select '${chainName}', ${addressText("t", "n")}, 'T' || n, 'Token ' || n, 18 from generate_series(0, ${tokens - 1}) n;
    insert into graphloom.data_registry (chain, token, symbol, name, decimals, canonical_id, is_stable)
    select '${chainName}', ${addressText("t", "n")}, 'T' || n, 'Token ' || n, 18, 'token-' || n, n % 20 = 0
    from generate_series(0, ${priced - 1}) n;
    insert into graphloom.data_prices (chain, token, bucket, usd, source)
    select '${chainName}', ${addressText("t", "n")}, time / 60 * 60, 1 + (n * time % 1000) / 7.0, 'bench'
    from generate_series(0, ${priced - 1}) n, generate_series(${firstTime}::bigint, ${firstTime + 12 * blocks}, 3600) time;
    insert into graphloom.data_priced (chain, token) select distinct chain, token from graphloom.data_prices on conflict do nothing;
    analyze graphloom.data_priced; analyze graphloom.data_tokens; analyze graphloom.data_registry; analyze graphloom.data_prices`);
}

/** How far the tables are filled, as the flow writes it. */
async function placeTables(database, blocks) {
  const target = (table) => `'${pipelineOf(chainName)}', '${table}', '["${schema}","${table}"]', 'bench'`;
  const owned = `flow = '${pipelineOf(chainName)}'`;
  await database.run(
    `delete from graphloom_flows.positions where ${owned}; delete from graphloom_flows.open_blocks where ${owned};` +
      ["blocks", "transfers", "natives"]
        .map(
          (table) => `
    insert into graphloom_flows.positions (flow, sink, target, source, next, version) values (${target(table)}, ${blocks}, 0);
    insert into graphloom_flows.open_blocks (flow, sink, target, source, number, hash, rows)
    select ${target(table)}, number, hash, '' from ${schema}.blocks where number >= ${blocks - open};`,
        )
        .join(""),
  );
}

/** The table of balances, as its sink makes it from the rows that are there. */
async function sumUp(database) {
  const flow = chainPipeline({ chain: chainName, firstBlock: 0, natives: true });
  const plan = await planDocument(flow, { openEngine: () => openDuckDb({ memory: 1_024, time: 60_000 }) });
  const { aggregation } = plan.sinks.find(({ name }) => name === "transfers");
  const balances = new AggregateTable(
    { schema, name: "transfers" },
    { schema, name: "balances" },
    aggregationOf(aggregation),
  );
  await balances.prepare(database, true, async () => undefined);
}
