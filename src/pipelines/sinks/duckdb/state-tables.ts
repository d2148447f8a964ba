import { joinFragments, SQL, type SqlFragment } from "../../../store/database/database.js";
import { Parameters } from "../../../store/database/parameters.js";
import { quoteName, quoteNames } from "../../../store/database/quote.js";
import type { Bind, SqlDialect, Statement, StateTable } from "../../state/sql.js";
import { type DuckDbSession, fileName } from "../duckdb-file.js";
import type { TargetTable } from "../tables/target-table.js";

/** The state is in the file that has the rows. */
const schema = SQL`${fileName}.graphloom_flows`;

const owner = SQL`flow varchar, sink varchar, target varchar`;
const ofOwner = SQL`flow, sink, target`;

const tables: Readonly<Record<StateTable, SqlFragment>> = {
  positions: SQL`${owner}, source varchar, next bigint not null, version hugeint not null, primary key (${ofOwner}, source)`,
  open_blocks: SQL`${owner}, source varchar, number bigint, hash varchar not null, content varchar not null, primary key (${ofOwner}, source, number)`,
  ledger: SQL`${owner}, source varchar, first bigint, last bigint not null, held hugeint not null, total uhugeint not null, primary key (${ofOwner}, source, first)`,
  parked: SQL`${owner}, number bigint, content varchar not null, primary key (${ofOwner}, number)`,
  writers: SQL`${owner}, source varchar, process varchar not null, since timestamptz not null, primary key (${ofOwner}, source)`,
  lineages: SQL`${owner}, lineage varchar, made boolean, primary key (${ofOwner})`,
};

/** The state of a sink in a DuckDB file. */
export const duckdbState: SqlDialect<DuckDbSession> = {
  async prepare(session) {
    const [found] = await session.query(
      SQL`select count(*) as tables from duckdb_tables() where database_name = $1 and schema_name = $2`,
      ["graphloom$file", "graphloom_flows"],
    );
    if (Number(found?.tables) === Object.keys(tables).length) return;
    await session.query(SQL`create schema if not exists ${schema}`);
    for (const [name, columns] of Object.entries(tables))
      await session.query(SQL`create table if not exists ${schema}.${quoteName(name)} (${columns})`);
  },
  async hasTable(session, table) {
    const rows = await session.query(
      SQL`select 1 from duckdb_tables() where database_name = $1 and schema_name = 'graphloom_flows' and table_name = $2`,
      ["graphloom$file", table],
    );
    return rows.length > 0;
  },
  ask: (session, statement) => {
    const parameters = new Parameters();
    return session.query(statement(binding(parameters)), parameters.values);
  },
  update: (session, statement) => meets(session, statement, SQL`returning 1`),
  add: (session, statement) => meets(session, statement, SQL`on conflict do nothing returning 1`),
  table: (name) => SQL`${schema}.${quoteName(name)}`,
  owner: ({ flow, sink, table }, bind) => [
    [SQL`flow`, bind(flow)],
    [SQL`sink`, bind(sink)],
    [SQL`target`, bind(targetOf(table))],
  ],
  target: ({ table }) => targetOf(table),
  labels: () => [],
  onConflict: (key, replaced) => {
    const set = replaced.map((column) => SQL`${column} = excluded.${column}`);
    return SQL`on conflict (${key}) do update set ${joinFragments(set, SQL`, `)}`;
  },
  source: SQL`source`,
  lock: SQL``,
  numeral: (bind, value) =>
    SQL`cast(${bind(String(value))} as ${value < 2n ** 127n ? SQL`hugeint` : SQL`uhugeint`})`,
  now: SQL`now()`,
  since: SQL`epoch_ms(since)`,
  made: () => [SQL`made`, SQL`true`],
  columns: { rows: SQL`content`, held: SQL`held`, sum: SQL`total`, part: undefined, parkedSource: undefined },
  partsOf: (text) => [text],
};

function targetOf({ schema: of, name }: TargetTable): string {
  return quoteNames(of, name);
}

function binding(parameters: Parameters): Bind {
  return (text) => parameters.bind(text, SQL`varchar`);
}

async function meets(session: DuckDbSession, statement: Statement, ending: SqlFragment): Promise<boolean> {
  const parameters = new Parameters();
  const text = SQL`${statement(binding(parameters))} ${ending}`;
  return (await session.query(text, parameters.values)).length > 0;
}
