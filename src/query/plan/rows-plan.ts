import { SQL, type SqlFragment } from "../../store/database/database.js";
import type { FieldCodec } from "../../store/tables/field-codecs.js";
import type { ModelField } from "../api/model.js";
import type { QueryError } from "../query-error.js";
import type { SelectedField } from "../request/selection.js";

/** How to read the rows that answer a field. */
export interface RowsPlan {
  /** One branch for each possible concrete type, in the order of the numbers in the rows. */
  readonly branches: readonly BranchPlan[];
  /** The error to report if rows are requested. */
  readonly failures: readonly QueryError[];
}

/** How many entities may be read without a byte limit. */
const unwatched = 1000;

/**
 * A statement that selects rows in the column `j` and fails if they exceed a number of bytes. It divides by zero,
 * because the database offers no other way.
 * @param entities the possible number of entities, including everything below them
 */
export function boundedSql(sql: SqlFragment, entities: number, bytes: number): SqlFragment {
  if (entities <= unwatched) return sql;
  return SQL`select s.j from (
      select b.j, sum(pg_column_size(b.j)) over (rows unbounded preceding) as bytes from (${sql}) b) s
    where 1 / (case when s.bytes > ${bytes} then 0 else 1 end) = 1`;
}

/** The rows of one concrete type. */
export interface BranchPlan {
  readonly type: string;
  /** In the order of the answer. */
  readonly cells: readonly Cell[];
  readonly values: number;
}

/** One value of a row. */
export type Cell =
  | { readonly kind: "typename"; readonly field: SelectedField }
  | {
      readonly kind: "leaf";
      readonly field: SelectedField;
      readonly model: ModelField;
      readonly index: number;
      readonly codec: FieldCodec;
    }
  | {
      readonly kind: "below";
      readonly field: SelectedField;
      readonly model: ModelField;
      readonly index: number;
      readonly rows: RowsPlan;
    };

/** The maximum number of arguments of a database function, minus one for the branch. */
const most = 99;

/**
 * A JSON array: the number of the branch, then the values. Many values are grouped into nested arrays, because a
 * database function has a limited number of arguments.
 */
export function rowJson(branch: number, values: readonly SqlFragment[]): SqlFragment {
  if (values.length <= most) return SQL`json_build_array(${[SQL`${branch}`, ...values]})`;
  const chunks = Array.from({ length: Math.ceil(values.length / most) }, (_, index) =>
    values.slice(index * most, (index + 1) * most),
  );
  const arrays = chunks.map((chunk) => SQL`json_build_array(${chunk})`);
  return rowJson(branch, arrays);
}

/** Reads the values of such an array. @param count the number of values */
export function rowValues(row: readonly unknown[], count: number): readonly unknown[] {
  if (count <= most) return row.slice(1);
  const chunks = rowValues(row, Math.ceil(count / most));
  return chunks.flatMap((chunk) => (Array.isArray(chunk) ? chunk : []));
}
