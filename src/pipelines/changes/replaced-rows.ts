import { type Rows, textOfRow } from "./rows.js";
import type { RowSchema } from "./schema.js";

/** How a sink's key is made of a source whose rows replace others. */
export interface ReplacedKey {
  readonly schema: RowSchema;
  /** For each column of the sink's key, its place among the columns of the source. */
  readonly places: readonly number[];
}

/**
 * The rows of a sink that a batch deletes, as far as they are known: their keys. A query cannot compute them, since its
 * conditions need the other columns. Rows that are there again are left out.
 */
export function replacedRows(keys: Rows, plus: Rows, { schema, places }: ReplacedKey): Rows {
  const own = schema.key.map((name) => schema.columns.findIndex((column) => column.name === name));
  const here = new Set(Array.from({ length: plus.count }, (_, row) => textOfRow(plus, row, own)));
  const gone = Array.from({ length: keys.count }, (_, row) => row).filter(
    (row) => !here.has(textOfRow(keys, row, places)),
  );
  const nulls: Rows["columns"][number] = gone.map(() => null);
  return {
    count: gone.length,
    columns: schema.columns.map((_, index) => {
      const from = places[own.indexOf(index)];
      return from === undefined ? nulls : gone.map((row) => keys.columns[from]?.[row] ?? null);
    }),
  };
}
