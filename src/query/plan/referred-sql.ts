import { SQL, type SqlFragment } from "../../store/database/database.js";
import type { EntityTable } from "../../store/tables/layout.js";
import type { ModelField } from "../api/model.js";
import type { Scope } from "./condition-sql.js";
import { columnOf, columnSql, type Rows, visibleSql } from "./tables.js";

/** The number of versions of an entity that are checked one by one. */
const few = 8;

/**
 * The entities of a table that a row refers to, one version of each, as rows to select from instead of the
 * table.
 * @returns `undefined` if the table is as fast: they refer back, or each has only one version
 */
export function referredSql(
  parent: Rows,
  field: ModelField,
  table: EntityTable,
  scope: Scope,
): SqlFragment | undefined {
  if (field.derivedFrom !== undefined || table.immutable) return undefined;
  const held = columnSql(parent, columnOf(parent.table, field.name).name);
  if (!field.list) return SQL`(${versionSql(held, table, scope)})`;
  const { statement } = scope;
  const [ids, versions] = [statement.alias(), statement.alias()];
  return SQL`(select ${versions}.* from (select distinct unnest(${held}) as id) ${ids}
    cross join lateral (${versionSql(SQL`${ids}.id`, table, scope)}) ${versions})`;
}

/**
 * The version of an entity at the block.
 *
 * graph-node's index of ids and blocks takes 25 microseconds to find a version. Its index of ids takes 2, but does not
 * know blocks. Most entities have few versions, so a few are checked first. Only if none of them matches, the other
 * index is used. For `id = x` the planner would choose the other index at once; for `id between x and x` it does not.
 */
function versionSql(id: SqlFragment, table: EntityTable, { tables, statement }: Scope): SqlFragment {
  const rows: Rows = { table, alias: statement.alias() };
  const own = columnSql(rows, "id");
  const all = SQL`select * from ${tables.name(table)} ${rows.alias}`;
  const visible = visibleSql(rows, statement.block);
  const some = SQL`${all} where ${own} >= ${id} and ${own} <= ${id} order by ${own} desc limit ${few}`;
  return SQL`select * from (${some}) ${rows.alias} where ${visible}
    union all ${all} where ${own} = ${id} and ${visible} limit 1`;
}
