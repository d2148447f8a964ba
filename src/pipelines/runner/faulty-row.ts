import type { Delta } from "../changes/delta.js";
import { noRows, pickRows, type Rows } from "../changes/rows.js";
import type { PlannedSource } from "../plan/pipeline-plan.js";
import { originText } from "../sinks/parking/refused-error.js";
import { rowName } from "../sinks/parking/row-text.js";
import { QueryError } from "../sql/engine.js";
import type { RowsPlace } from "../transforms/lookup-table.js";
import type { Program } from "./program.js";

/** A batch that a query cannot compute. */
interface FaultyBatch {
  readonly source: PlannedSource;
  readonly from: number;
  readonly to: number;
  readonly delta: Delta;
}

/**
 * Computes a batch of a source. If a query cannot, the error names the row, since the engine says only which value it is:
 * the rows are computed in halves, until it is clear which row it is.
 * @throws QueryError with the row, or with the range if no single row fails; and what else the program throws
 */
export async function appliedNamed(
  program: Pick<Program, "apply" | "sources">,
  name: string,
  delta: Delta,
  place: RowsPlace,
): Promise<Delta> {
  const { from, to } = place;
  const apply = (some: Delta): Promise<Delta> => program.apply(name, some, place);
  try {
    return await apply(delta);
  } catch (error) {
    const source = program.sources.find((one) => one.name === name);
    if (!(error instanceof QueryError) || error.isLate || !source) throw error;
    throw await namedQueryError(error, { source, from, to, delta }, apply);
  }
}

async function namedQueryError(
  error: QueryError,
  { source, from, to, delta }: FaultyBatch,
  apply: (delta: Delta) => Promise<unknown>,
): Promise<QueryError> {
  const { schema } = source;
  const none = noRows(schema.columns.length);
  for (const half of ["plus", "minus"] as const) {
    const rows = delta[half];
    const whyFails = (some: Rows): Promise<QueryError | undefined> =>
      apply({ minus: none, plus: none, [half]: some }).then(
        () => undefined,
        (caught: unknown) => {
          if (caught instanceof QueryError) return caught;
          throw caught;
        },
      );
    const row = await failingRow(rows, whyFails);
    const why = row !== undefined && (await whyFails(pickRows(rows, [row])));
    if (why) {
      const changes = { schema, operations: [], rows, overwritten: 0 };
      const place = originText({ source: source.name, from, to, changes }, row);
      return new QueryError(
        `Row ${rowName(rows, row, schema)} of ${place} cannot be computed: ${why.message}`,
        { hint: why.hint },
      );
    }
  }
  const range = from === to ? `${from}` : `${from}-${to}`;
  return new QueryError(`${source.name} ${range} cannot be computed: ${error.message}`, {
    hint: error.hint,
  });
}

/** The first row that fails, if a single row does. */
async function failingRow(
  rows: Rows,
  whyFails: (rows: Rows) => Promise<QueryError | undefined>,
): Promise<number | undefined> {
  if (rows.count === 0) return undefined;
  let [start, end] = [0, rows.count];
  while (end - start > 1) {
    const middle = Math.ceil((start + end) / 2);
    const first = pickRows(
      rows,
      Array.from({ length: middle - start }, (_, index) => start + index),
    );
    if (await whyFails(first)) end = middle;
    else start = middle;
  }
  return start;
}
