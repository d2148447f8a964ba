import { present } from "../../base/invariant.js";
import { SQL, type SqlFragment } from "../../store/database/database.js";
import type { ApiSchema } from "../api/api-schema.js";
import type { ModelField } from "../api/model.js";
import { columnOf, columnSql, type Rows } from "./tables.js";

/** The columns of a parent that its children are found by. */
export function joinColumns({ table }: Rows, field: ModelField): readonly string[] {
  return [columnOf(table, field.derivedFrom === undefined ? field.name : "id").name];
}

/** That a row is a child of another one through a field of the parent. */
export function joinSql(parent: Rows, field: ModelField, child: Rows): SqlFragment {
  const id = (rows: Rows): SqlFragment => columnSql(rows, "id");
  if (field.derivedFrom !== undefined) {
    const back = columnOf(child.table, field.derivedFrom);
    const sql = columnSql(child, back.name);
    return back.list ? SQL`${sql} @> array[${id(parent)}]` : SQL`${sql} = ${id(parent)}`;
  }
  const sql = columnSql(parent, columnOf(parent.table, field.name).name);
  return field.list ? SQL`${id(child)} = any(${sql})` : SQL`${id(child)} = ${sql}`;
}

/** The field as the type of a table has it, where it is asked of an interface. */
export function ownField({ table }: Rows, field: ModelField, api: ApiSchema): ModelField {
  const own = api.type(table.type).fields.get(field.name);
  return present(own, `${table.type} lacks ${field.name}, which its interface has`);
}
