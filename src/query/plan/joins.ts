import { present } from "../../base/invariant.js";
import { SQL, type SqlFragment } from "../../store/database/database.js";
import type { ApiSchema } from "../api/api-schema.js";
import type { ModelField } from "../api/model.js";
import { columnOf, columnSql, type Rows } from "./tables.js";

/** The columns of a parent by which its children are found. */
export function joinColumns({ table }: Rows, field: ModelField): readonly string[] {
  return [columnOf(table, field.derivedFrom === undefined ? field.name : "id").name];
}

/** The condition that a row is a child of another through a field of the parent. */
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

/** The field of a table's concrete type, for a field of an interface. */
export function ownField({ table }: Rows, field: ModelField, api: ApiSchema): ModelField {
  const own = api.type(table.type).fields.get(field.name);
  return present(own, `${table.type} lacks ${field.name}, which its interface has`);
}
