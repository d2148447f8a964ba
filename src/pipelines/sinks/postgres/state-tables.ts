import { SQL, type Sql, type SqlFragment } from "../../../store/database/database.js";
import type { Bind, SqlDialect, SqlPlace, Statement, StateTable } from "../../state/sql.js";
import { decimalNumeral } from "../../state/sql-tables.js";
import { creationLock } from "./creation-lock.js";

const creation = SQL`${creationLock};
  create schema if not exists graphloom_flows;
  create table if not exists graphloom_flows.positions (
    flow text not null, sink text not null, target text not null, source text not null,
    next bigint not null, version bigint not null, primary key (flow, sink, target, source));
  create table if not exists graphloom_flows.open_blocks (
    flow text not null, sink text not null, target text not null, source text not null,
    number bigint not null, hash text not null, rows text not null,
    primary key (flow, sink, target, source, number));
  create table if not exists graphloom_flows.ledger (
    flow text not null, sink text not null, target text not null, source text not null,
    first bigint not null, last bigint not null, rows bigint not null, sum numeric(39,0) not null,
    primary key (flow, sink, target, source, first));
  create table if not exists graphloom_flows.parked (
    flow text not null, sink text not null, target text not null, number bigint not null, source text not null,
    content text not null, primary key (flow, sink, target, number));
  create table if not exists graphloom_flows.writers (
    flow text not null, sink text not null, target text not null, source text not null,
    process text not null, since timestamptz not null, primary key (flow, sink, target, source));
  create table if not exists graphloom_flows.lineages (
    flow text not null, sink text not null, target text not null, lineage text,
    made oid, primary key (flow, sink, target))`;

const tables: Readonly<Record<StateTable, SqlFragment>> = {
  positions: SQL`graphloom_flows.positions`,
  open_blocks: SQL`graphloom_flows.open_blocks`,
  ledger: SQL`graphloom_flows.ledger`,
  parked: SQL`graphloom_flows.parked`,
  writers: SQL`graphloom_flows.writers`,
  lineages: SQL`graphloom_flows.lineages`,
};

/**
 * Creates the tables of positions and ledgers if they do not exist.
 * @throws DatabaseError
 */
export async function createStateTables(sql: Sql): Promise<void> {
  await sql.run(creation);
}

/** The state tables in a PostgreSQL database. All sinks share one schema. */
export const postgresState: SqlDialect<Sql> = {
  prepare: createStateTables,

  async hasTable(sql, table) {
    const [found] = await sql.query(SQL`select to_regclass($1::text) as found`, [`graphloom_flows.${table}`]);
    return found?.found != null;
  },

  ask,

  async update(sql, statement) {
    return (await ask(sql, (bind) => SQL`${statement(bind)} returning 1`)).length > 0;
  },

  async add(sql, statement) {
    return (await ask(sql, (bind) => SQL`${statement(bind)} on conflict do nothing returning 1`)).length > 0;
  },

  table: (name) => tables[name],

  owner: (place, bind) => [
    [SQL`flow`, bind(place.flow)],
    [SQL`sink`, bind(place.sink)],
    [SQL`target`, bind(targetOf(place))],
  ],
  target: targetOf,
  labels: () => [],

  onConflict: (key, replaced) =>
    SQL`on conflict (${key}) do update set ${replaced.map((column) => SQL`${column} = excluded.${column}`)}`,

  source: SQL`source`,
  lock: SQL` for update`,
  numeral: decimalNumeral,
  now: SQL`now()`,
  since: SQL`(extract(epoch from since) * 1000)::bigint`,

  // An oid distinguishes a table from another one that had its name earlier or has it now.
  made: ({ table: { schema, name } }, bind) => [
    SQL`made`,
    SQL`(select c.oid from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = ${bind(schema)} and c.relname = ${bind(name)})`,
  ],

  columns: { rows: SQL`rows`, held: SQL`rows`, sum: SQL`sum`, part: undefined, parkedSource: SQL`source` },
  partsOf: (text) => [text],
};

function ask(sql: Sql, statement: Statement): ReturnType<Sql["query"]> {
  const texts: string[] = [];
  const bind: Bind = (text) => {
    texts.push(text);
    return SQL`$${texts.length}::text`;
  };
  return sql.query(statement(bind), texts);
}

function targetOf({ table: { schema, name } }: SqlPlace): string {
  return JSON.stringify([schema, name]);
}
