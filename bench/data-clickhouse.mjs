// Copies the tables that bench/data-fill.mjs has made to ClickHouse, into tables that the product makes.
import pg from "pg";
import { addClickHouseChain } from "../dist/data/clickhouse/clickhouse-chains.js";
import { clickHouseTable, createClickHouseTables } from "../dist/data/clickhouse/clickhouse-tables.js";
import { pipelineOf, schemaOf } from "../dist/data/filling/chain-tables.js";
import { openClickHouse } from "../dist/pipelines/machine/clickhouse/open-clickhouse.js";
import { clickHouseAddress } from "../dist/pipelines/sinks/clickhouse/clickhouse-address.js";
import { StateRows } from "../dist/pipelines/sinks/clickhouse/state-rows.js";
import { positionRow, VersionState } from "../dist/pipelines/state/version-state.js";
import { chainName } from "./data-fill.mjs";

const schema = schemaOf(chainName);
/** Blocks that are copied at once. */
const span = 2_000;

const moves = `wallet, block_number, sequence, token, block_timestamp, transaction_hash, counterparty, abs(amount) as amount`;
const tables = {
  blocks: ["*", "number"],
  transfers: [moves, "block_number"],
  natives: [moves, "block_number"],
};

/**
 * Copies the tables, unless they are there already.
 * @param from the address of PostgreSQL
 * @param to that of ClickHouse
 * @returns the place, opened
 */
export async function copyToClickHouse(from, to, { rows, blocks }) {
  const address = clickHouseAddress(to);
  const place = { server: await openClickHouse(address), address };
  await createClickHouseTables(place, chainName);
  const name = (category) => `\`${address.database}\`.\`${clickHouseTable(chainName, category)}\``;
  const [found] = await place.server.query(`SELECT count() AS rows FROM ${name("transfers")}`);
  if (Number(found.rows) === rows) return place;
  const client = new pg.Client({ connectionString: from });
  await client.connect();
  for (const [category, [columns, number]] of Object.entries(tables)) {
    await place.server.run(`TRUNCATE TABLE ${name(category)}`);
    for (let block = 0, version = 1; block < blocks; block += span, version++) {
      const { rows: some } = await client.query(
        `select ${columns} from ${schema}.${category} where ${number} >= ${block} and ${number} < ${block + span}`,
      );
      if (some.length === 0) continue;
      await place.server.insert(
        `INSERT INTO ${name(category)} FORMAT JSONEachRow`,
        lines(some, version),
        `bench-${category}-${version}`,
      );
    }
    await place.server.run(`OPTIMIZE TABLE ${name(category)} FINAL`);
    const { rows: open } = await client.query(
      "select number, hash from graphloom_flows.open_blocks where flow = $1 and sink = $2",
      [pipelineOf(chainName), category],
    );
    const target = clickHouseTable(chainName, category);
    const owner = { flow: pipelineOf(chainName), sink: category, target, columns: [] };
    const kept = new StateRows(place.server, address.database, owner);
    const state = new VersionState(kept, owner, { token: "bench", began: Date.now() });
    await state.read();
    await state.write(
      [
        positionRow("bench", blocks),
        ...open.map(({ number: at, hash }) => ({
          kind: "block",
          source: "bench",
          number: Number(at),
          value: { hash, rows: "" },
        })),
      ],
      1_000_000,
    );
  }
  await client.end();
  await addClickHouseChain(place, { chain: chainName, firstBlock: 0, natives: true });
  return place;
}

function* lines(rows, version) {
  for (let at = 0; at < rows.length; at += 10_000) {
    const some = rows.slice(at, at + 10_000);
    yield Buffer.from(some.map((row) => `${JSON.stringify({ ...row, version, is_deleted: 0 })}\n`).join(""));
  }
}
