import { quote } from "../../base/text/quote.js";
import { suggest } from "../../base/text/suggest.js";
import type { Report } from "../../compiler/diagnostics/report.js";
import type { LocatedString } from "../../compiler/source/source.js";
import type { RowColumn } from "../changes/schema.js";

/** The names of the columns of a key, as the columns have them; `undefined` after a reported error. */
export function checkKey(
  key: readonly LocatedString[],
  columns: readonly RowColumn[],
  report: Report,
): readonly string[] | undefined {
  const found = key.map((name) => findColumn(name, columns, report)?.name);
  const known = found.filter((name) => name !== undefined);
  return known.length === found.length ? known : undefined;
}

/** The column of a name; `undefined` after a reported error. */
export function findColumn(
  { value, at }: LocatedString,
  columns: readonly RowColumn[],
  report: Report,
): RowColumn | undefined {
  const found = columns.find(({ name }) => name.toLowerCase() === value.toLowerCase());
  if (found) return found;
  const names = columns.map(({ name }) => name);
  const [near] = suggest(value, names);
  report.error("unknown-column", at, `the rows have no column ${quote(value)}`, {
    hint: near === undefined ? `they have ${names.join(", ")}` : `write ${near}`,
  });
  return undefined;
}
