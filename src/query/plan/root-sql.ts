import { present } from "../../base/invariant.js";
import { SQL, type SqlFragment, type SqlText } from "../../store/database/database.js";
import type { ApiSchema } from "../api/api-schema.js";
import { idScalarOf } from "../api/filters.js";
import type { RootField } from "../api/root-fields.js";
import type { QueryLimits } from "../limits.js";
import { reasonsIn } from "../query-error.js";
import type { SelectedField, Selection } from "../request/selection.js";
import { collectionOf, everyOne, searchOf } from "./collection.js";
import { idForm } from "./field-sql.js";
import type { RowsPlan } from "./rows-plan.js";
import { type Restriction, type RowsSql, RowsWriter } from "./rows-sql.js";
import { Statement } from "./statement.js";
import { columnOf, columnSql, type Tables } from "./tables.js";

/** A field of `Query` as one statement. */
export interface RootPlan {
  readonly field: SelectedField;
  readonly root: RootField;
  readonly selection: Selection;
  /** Missing if the answer needs no rows. */
  readonly statement: SqlFragment | undefined;
  readonly parameters: readonly SqlText[];
  readonly rows: RowsPlan;
}

/** The context of plans. */
export interface PlanScope {
  readonly api: ApiSchema;
  readonly tables: Tables;
  readonly limits: QueryLimits;
}

/**
 * Plans one statement for a field of `Query` that is read from tables, with everything below it, at a block. Errors
 * become part of the plan.
 */
export function planRoot(field: SelectedField, block: number, { api, tables, limits }: PlanScope): RootPlan {
  const root = present(api.root.get(field.name), `${field.name} is not an entity field`);
  const selection = present(field.selection, `${field.name} has a selection`);
  const statement = new Statement(block);
  const writer = new RowsWriter({ api, tables, statement }, limits);
  try {
    const { sql, plan } = written(field, selection, root, writer, statement, api, limits);
    const isEmpty = plan.branches.length === 0;
    const { parameters } = statement;
    return { field, root, selection, statement: isEmpty ? undefined : sql, parameters, rows: plan };
  } catch (error) {
    const rows: RowsPlan = { branches: [], failures: reasonsIn(error) };
    return { field, root, selection, statement: undefined, parameters: [], rows };
  }
}

function written(
  field: SelectedField,
  selection: Selection,
  root: RootField,
  writer: RowsWriter,
  statement: Statement,
  api: ApiSchema,
  limits: QueryLimits,
): RowsSql {
  const { args } = field;
  const type = api.type(root.type);
  if (root.kind === "many")
    return writer.write(collectionOf(field, type, api, limits), selection, undefined, false);
  if (root.kind === "fulltext") {
    return writer.write(searchOf(root.name, args, type, api, limits), selection, undefined, false);
  }
  const given = args.get("id");
  const scalar = idScalarOf(root.type, api.model);
  const id = idForm(given?.kind === "String" ? given.value : "", scalar);
  const restrict: Restriction = {
    condition: (rows) =>
      SQL`${columnSql(rows, "id")} = ${statement.bind(id, columnOf(rows.table, "id").sqlType)}`,
  };
  return writer.write(everyOne(type, 1), selection, restrict, false);
}
