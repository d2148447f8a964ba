import type { RowColumn } from "../../changes/schema.js";
import { SinkError } from "../../state/sink-error.js";
import { type TargetTable, tableText } from "./target-table.js";

/** How to check the columns of a kind of database. */
export interface ColumnRules<Existing> {
  /** Columns whose types the user has chosen: any type is accepted. */
  readonly chosen: ReadonlySet<string>;
  /** The type that a new column would get. */
  newType(column: RowColumn): string;
  quote(name: string): string;
  typeOf(existing: Existing): string;
  /** Whether a column holds every value of a type. */
  holds(existing: Existing, column: RowColumn): boolean;
}

/**
 * Columns that an existing table lacks and that may be added. Key columns may not: they are created with the table.
 */
export function lackingColumns<Column extends Pick<RowColumn, "name">>(
  columns: readonly Column[],
  key: readonly string[],
  existing: ReadonlyMap<string, unknown>,
): readonly Column[] {
  return columns.filter(({ name }) => !existing.has(name) && !key.includes(name));
}

/**
 * Checks that an existing table has all columns, and that each holds every value, without cutting or rounding.
 * @throws SinkError with a remedy
 */
export function checkColumns<Existing>(
  table: TargetTable,
  columns: readonly RowColumn[],
  existing: ReadonlyMap<string, Existing>,
  rules: ColumnRules<Existing>,
): void {
  const name = tableText(table);
  for (const column of columns) {
    const found = existing.get(column.name);
    if (found === undefined)
      throw new SinkError(
        `Table ${name} has no column ${column.name}. Set schema_changes: evolve, or add it with: alter table ${name} add column ${rules.quote(column.name)} ${rules.newType(column)}`,
        false,
      );
    if (rules.chosen.has(column.name) || rules.holds(found, column)) continue;
    throw new SinkError(
      `Column ${column.name} of table ${name} has the type ${rules.typeOf(found)}, which does not hold every value of ${column.type}. Use the type ${rules.newType(column)}, or choose the type with schema_override.`,
      false,
    );
  }
}

/**
 * Checks that a table has a unique index on exactly the key, which upserts need.
 * @param unique the columns of each unique index
 * @throws SinkError with a remedy
 */
export function checkUnique(
  table: TargetTable,
  key: readonly string[],
  unique: readonly (readonly string[])[],
  quote: (name: string) => string,
): void {
  const wanted = sameSet(key);
  if (key.length === 0 || unique.some((columns) => sameSet(columns) === wanted)) return;
  const name = tableText(table);
  throw new SinkError(
    `Table ${name} has no unique index on its key, ${key.join(", ")}. Create one with: create unique index ${quote(`${table.name}_key`)} on ${name} (${key.map(quote).join(", ")})`,
    false,
  );
}

/**
 * Checks that a written table still exists, with all of its columns.
 * @param existing columns by name; empty if the table does not exist
 * @throws SinkError with a remedy
 */
export function checkAuditedColumns(
  table: TargetTable,
  columns: readonly Pick<RowColumn, "name">[],
  existing: ReadonlyMap<string, unknown>,
): void {
  const name = tableText(table);
  if (existing.size === 0)
    throw new SinkError(
      `Table ${name} does not exist, although this pipeline has written it. Write it again with: graphloom pipeline run`,
      false,
    );
  const lost = columns.find((column) => !existing.has(column.name));
  if (lost === undefined) return;
  throw new SinkError(
    `Table ${name} has no column ${lost.name}. Restore it, or drop the table and write it again with: graphloom pipeline run`,
    false,
  );
}

/** Rows without a position would stay beside the new ones forever, or the new ones would overwrite them. */
export function foreignRows(table: TargetTable): SinkError {
  const name = tableText(table);
  return new SinkError(
    `Table ${name} holds rows that this pipeline has not written. Choose another table, or empty it with: truncate table ${name}`,
    false,
  );
}

/** Emptying the table would delete rows of the other pipeline. */
export function sharedTable(table: TargetTable, other: string): SinkError {
  return new SinkError(
    `Table ${tableText(table)} is written by pipeline ${other} as well, so it is not emptied. Give the sink another table.`,
    false,
  );
}

/** A pipeline must not drop a table that it did not create. */
export function notMade(table: TargetTable): SinkError {
  const name = tableText(table);
  return new SinkError(
    `Table ${name} was not made by this pipeline, so it is not dropped. Empty it with --reset, or drop it with: drop table ${name}`,
    false,
  );
}

/** The same text for equal sets of names. */
export function sameSet(names: readonly string[]): string {
  return JSON.stringify([...names].sort());
}
