import { quote } from "../../base/text/quote.js";
import { quoted } from "../../base/text/sql-quotes.js";
import type { Report } from "../../compiler/diagnostics/report.js";
import type { LocatedString } from "../../compiler/source/source.js";
import type { RowColumn, ValueType } from "../changes/schema.js";
import { findColumn } from "./check-key.js";

/** Types whose values have a single text form, which can name a folder. */
const namingTypes: ReadonlySet<ValueType> = new Set(["STRING", "LONG", "DECIMAL", "NUMERIC", "BOOLEAN"]);

/**
 * Checks that the partition columns exist, are named once, can name folders, and leave other columns for the files.
 */
export function checkPartitions(
  wanted: readonly LocatedString[],
  columns: readonly RowColumn[],
  report: Report,
): void {
  const seen = new Set<string>();
  for (const name of wanted) {
    const column = findColumn(name, columns, report);
    if (!column) continue;
    if (seen.has(column.name))
      report.error("wrong-value", name.at, `${quote(column.name)} is among the partition columns twice`, {
        hint: "name each column once",
      });
    else if (!namingTypes.has(column.type))
      report.error(
        "wrong-value",
        name.at,
        `rows cannot be partitioned by ${quote(column.name)}, which is ${column.type}`,
        { hint: wayOut(column) },
      );
    seen.add(column.name);
  }
  const [first] = wanted;
  if (first && seen.size === columns.length)
    report.error("wrong-value", first.at, "all columns of the rows are partition columns", {
      hint: "leave out one at least, since files hold only the other columns",
    });
}

/** Suggests what to partition by instead. */
function wayOut({ name, type }: RowColumn): string {
  const column = quoted(name);
  switch (type) {
    case "TIMESTAMP":
      return `compute a text in the query, such as ${column}::DATE::VARCHAR AS part`;
    case "ARRAY<STRING>":
      return `compute a text in the query, such as ${column}[1] AS part`;
    case "JSON":
      return `compute a text in the query, such as ${column}->>'field' AS part`;
    default:
      return `compute a whole number in the query, such as floor(${column})::BIGINT AS part`;
  }
}
