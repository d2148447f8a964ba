import type { Rows } from "../../changes/rows.js";
import { SinkError } from "../../state/sink-error.js";
import type { VersionedPlace } from "../../state/version-state.js";
import { type ClickHouse, quotedName } from "../clickhouse-server.js";
import { nativeBlock } from "./native-block.js";
import { isRefusal } from "./refused-rows.js";
import { quotedTable, type TargetTable } from "./target-table.js";

/** The statement that inserts rows of a table. */
export function insertion(table: Omit<TargetTable, "key">, format: "Native" | "CSV" = "Native"): string {
  const { version, isDeleted } = table.rowColumns;
  const names = [...table.columns.map(({ name }) => name), version, isDeleted];
  return `INSERT INTO ${quotedTable(table)} (${names.map(quotedName).join(", ")}) FORMAT ${format}`;
}

/** Refuses a table that has rows but no state. @throws SinkError */
export async function refuseForeignRows(server: ClickHouse, table: TargetTable): Promise<void> {
  const rows = await server.query(`SELECT 1 FROM ${quotedTable(table)} LIMIT 1`);
  if (rows.length === 0) return;
  throw new SinkError(
    `Table ${table.database}.${table.name} holds rows that this pipeline has not written. Choose another table, or empty it with: TRUNCATE TABLE ${quotedTable(table)}`,
    false,
  );
}

/**
 * Takes back the rows of a batch whose position was not written. Rows that it has replaced or deleted are written again as
 * they were, and its other rows are deleted, all with a later version. The source supplies the batch again, unless its
 * blocks have left the chain.
 * @param prefix the prefix of the ids of inserts
 * @returns the last version that rows have
 * @throws SinkError, ClickHouseError
 */
export async function takeBack(
  server: ClickHouse,
  table: TargetTable,
  { committed, reserved, before }: Pick<VersionedPlace, "committed" | "reserved" | "before">,
  prefix: string,
): Promise<number> {
  const name = quotedTable(table);
  const version = quotedName(table.rowColumns.version);
  const [found] = await server.query(
    `SELECT toString(max(${version})) AS last FROM ${name} WHERE ${version} > {committed:UInt64}`,
    { committed: String(committed) },
  );
  const last = Number(found?.last ?? 0);
  if (last <= committed) return committed;
  if (last > reserved)
    throw new SinkError(
      `Table ${table.database}.${table.name} holds rows with version ${last}, which this pipeline has not written. Remove them, or choose another table.`,
      false,
    );
  const next = last + 1;
  if (before && before.count > 0)
    await server.insert(insertion(table), [restored(table, before, next)], `${prefix}restore-${next}`);
  const key = table.key.map(quotedName).join(", ");
  const remove = (columns: string, settings = ""): Promise<void> =>
    server.run(
      `INSERT INTO ${name} (${columns}, ${version}, ${quotedName(table.rowColumns.isDeleted)})
        SELECT ${columns}, {next:UInt64}, 1 FROM ${name}
        WHERE ${version} > {committed:UInt64} AND ${version} <= {last:UInt64}
          AND (${key}) NOT IN (SELECT ${key} FROM ${name} WHERE ${version} = {next:UInt64})
        LIMIT 1 BY ${key} ${settings}`,
      { committed: String(committed), last: String(last), next: String(next) },
      `${prefix}delete-${next}`,
    );
  try {
    await remove(key);
  } catch (error) {
    // A constraint may refuse the default values that other columns have then, and a view the values that it has refused.
    if (!isRefusal(error)) throw error;
    const all = table.columns.map((column) => quotedName(column.name)).join(", ");
    await remove(all, "SETTINGS materialized_views_ignore_errors = 1");
  }
  return next;
}

function restored(table: TargetTable, rows: Rows, version: number): Uint8Array {
  return nativeBlock(table.columns, rows, { names: table.rowColumns, version, isDeleted: () => false });
}
