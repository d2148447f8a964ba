import { invariant } from "../../../base/invariant.js";
import { type Database, SQL, type Sql, type SqlFragment } from "../../../store/database/database.js";
import type { ValueType } from "../../changes/schema.js";
import type { PostgresTypeName } from "../../definition/override-type.js";
import type { PlannedAggregate, PlannedAggregation, PlannedGroup } from "../../plan/pipeline-plan.js";
import { databaseAddress } from "../database-address.js";
import type { PlannedSinkOf, SinkOwner, SinkWorld } from "../opening.js";
import { chosenType, columnTypes } from "../postgres/column-types.js";
import { sinkErrorOf } from "../postgres/postgres-error.js";
import { postgresTables } from "../postgres/postgres-table.js";
import { tableAccess } from "../tables/table-access.js";
import type { TableOptions } from "../tables/table-dialect.js";
import { AggregateTable } from "./aggregate-table.js";
import type { AggregateColumn, Aggregation, GroupColumn } from "./aggregation.js";
import type { PostgresAggregateShape } from "./shape.js";

/**
 * Opens the database of a sink, and reads where and how it writes.
 * @throws SinkError
 */
async function aggregateOptions(
  { name, definition, schema, aggregation }: PlannedSinkOf<PostgresAggregateShape>,
  { flow, lineage }: SinkOwner,
  world: SinkWorld,
): Promise<TableOptions<Sql, Database>> {
  const { settings } = definition;
  invariant(aggregation, "an aggregating sink was planned without aggregates");
  const address = databaseAddress(settings.secret_name?.value ?? "", "postgres", world);
  const database = await world.openDatabase(address).catch((error: unknown) => {
    throw sinkErrorOf(error);
  });
  const tableOf = (table: string | undefined) => ({
    schema: settings.schema?.value ?? "public",
    name: table ?? "",
  });
  const landing = tableOf(settings.landing_table?.value);
  return {
    database,
    table: landing,
    schema,
    overrides: new Map(),
    onConflict: "update",
    owner: { flow, sink: name },
    lineage,
    evolves: settings.schema_changes?.value === "evolve",
    beside: new AggregateTable(landing, tableOf(settings.agg_table?.value), aggregationOf(aggregation)),
  };
}

/** How a table of rows and the table of their aggregates are reached. */
export const postgresAggregateAccess = tableAccess(postgresTables, aggregateOptions);

/** The aggregation with its SQL types. */
export function aggregationOf({ groups, aggregates }: PlannedAggregation): Aggregation {
  return { groups: groups.map(groupColumn), aggregates: aggregates.map(aggregateColumn) };
}

function groupColumn({ name, type, chosen }: PlannedGroup): GroupColumn {
  return {
    name,
    sqlType: chosen ? chosenType(chosen) : columnTypes[type],
    standIn: chosen ? chosenStandIns[chosen.name] : standIns[type],
    isCast: chosen !== undefined,
  };
}

function aggregateColumn({ name, fn, of, chosen }: PlannedAggregate): AggregateColumn {
  const natural = fn === "count" ? SQL`bigint` : isSum(fn) || !of ? SQL`numeric` : columnTypes[of.type];
  return { name, fn, from: of?.name, sqlType: chosen ? chosenType(chosen) : natural };
}

function isSum(fn: PlannedAggregate["fn"]): boolean {
  return fn === "sum" || fn === "avg";
}

const standIns: Readonly<Record<ValueType, SqlFragment>> = {
  STRING: SQL`''`,
  JSON: SQL`'null'`,
  LONG: SQL`'0'`,
  DOUBLE: SQL`'0'`,
  DECIMAL: SQL`'0'`,
  NUMERIC: SQL`'0'`,
  BOOLEAN: SQL`'false'`,
  TIMESTAMP: SQL`'epoch'`,
  "ARRAY<STRING>": SQL`'{}'`,
};

const chosenStandIns: Readonly<Record<PostgresTypeName, SqlFragment>> = {
  text: SQL`''`,
  varchar: SQL`''`,
  char: SQL`''`,
  json: SQL`'null'`,
  jsonb: SQL`'null'`,
  smallint: SQL`'0'`,
  integer: SQL`'0'`,
  bigint: SQL`'0'`,
  numeric: SQL`'0'`,
  decimal: SQL`'0'`,
  real: SQL`'0'`,
  "double precision": SQL`'0'`,
  boolean: SQL`'false'`,
  bytea: SQL`''`,
  uuid: SQL`'00000000-0000-0000-0000-000000000000'`,
  date: SQL`'epoch'`,
  timestamp: SQL`'epoch'`,
  timestamptz: SQL`'epoch'`,
  "text[]": SQL`'{}'`,
};
