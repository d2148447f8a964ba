import { SQL, type SqlFragment } from "../../store/database/database.js";
import type { FieldCodec } from "../../store/tables/field-codecs.js";
import type { ModelField } from "../api/model.js";
import type { QueryError } from "../query-error.js";
import type { SelectedField } from "../request/selection.js";

/** How the rows that answer a field are to be read. */
export interface RowsPlan {
  /** One for each concrete type that can come, in the order of the numbers in the rows. */
  readonly branches: readonly BranchPlan[];
  /** Why there are no rows, should anybody ask for them. */
  readonly failures: readonly QueryError[];
}

/** How many entities may come unwatched. */
const unwatched = 1000;

/**
 * A statement that selects rows in the column `j`, with an end put to it when they have more than so many bytes: a
 * division by zero, since the database knows no other way.
 * @param entities how many could come, with all that are below them
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
  /** How many values a row has. */
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

/** Arguments that a function of the database can have, less the one that tells the branch. */
const most = 99;

/**
 * An array in JSON: the number of the branch, then the values. Many values are put into arrays of their own, since a
 * function of the database has only so many arguments.
 */
export function rowJson(branch: number, values: readonly SqlFragment[]): SqlFragment {
  if (values.length <= most) return SQL`json_build_array(${[SQL`${branch}`, ...values]})`;
  const chunks = Array.from({ length: Math.ceil(values.length / most) }, (_, index) =>
    values.slice(index * most, (index + 1) * most),
  );
  const arrays = chunks.map((chunk) => SQL`json_build_array(${chunk})`);
  return rowJson(branch, arrays);
}

/** The values of such an array. @param count how many there are */
export function rowValues(row: readonly unknown[], count: number): readonly unknown[] {
  if (count <= most) return row.slice(1);
  const chunks = rowValues(row, Math.ceil(count / most));
  return chunks.flatMap((chunk) => (Array.isArray(chunk) ? chunk : []));
}
