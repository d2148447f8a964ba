import type { ColumnLimit, StoredRows } from "../../changes/stored-rows.js";
import type { ClickHouse } from "../clickhouse-server.js";
import { insertion } from "./interrupted-batch.js";
import type { TargetColumn } from "./native-block.js";
import type { TargetTable } from "./target-table.js";

/** Stands for null. Texts are in quotes, so the same text is not null. */
const missing = "NULL";

/** Says what the lines of an insert mean, whatever the user's profile has. */
const settings = {
  format_csv_delimiter: ",",
  format_csv_null_representation: missing,
  format_csv_allow_double_quotes: "1",
  input_format_null_as_default: "0",
  input_format_csv_empty_as_default: "0",
} as const;

/**
 * The limits within which the server takes the text of each value as it is.
 * @returns `undefined` if a column has values that must not be written as their text
 */
export function storedLimits(columns: readonly TargetColumn[]): readonly ColumnLimit[] | undefined {
  const limits: ColumnLimit[] = [];
  for (const column of columns) {
    const limit = limitOf(column);
    if (!limit) return undefined;
    limits.push(limit);
  }
  return limits;
}

function limitOf({ name, type, from }: TargetColumn): ColumnLimit | undefined {
  const { form, nullable } = type;
  const limit = { name, isFilled: !nullable };
  switch (from) {
    case "STRING":
    case "JSON":
    case "NUMERIC":
      return form.kind === "string" ? limit : undefined;
    case "BOOLEAN":
      return form.kind === "bool" ? limit : undefined;
    case "LONG":
      return form.kind === "integer" && form.isSigned && form.bits >= 64 ? limit : undefined;
    case "DECIMAL":
      if (form.kind === "string") return limit;
      return form.kind === "integer" ? { ...limit, range: rangeOf(form.bits, form.isSigned) } : undefined;
    default:
      return undefined;
  }
}

function rangeOf(bits: number, isSigned: boolean): NonNullable<ColumnLimit["range"]> {
  const half = 2n ** BigInt(bits - 1);
  return isSigned ? { low: -half, high: half - 1n } : { low: 0n, high: 2n * half - 1n };
}

/** Inserts rows of the SQL engine that are within the limits. @param id names the insert */
export function insertStored(
  server: ClickHouse,
  table: TargetTable,
  stored: StoredRows,
  version: number,
  id: string,
): Promise<void> {
  const names = table.columns.map(({ name }) => name);
  const lines = stored.csv(names, { missing, after: [version, 0] });
  return server.insert(insertion(table, "CSV"), lines, id, settings);
}
