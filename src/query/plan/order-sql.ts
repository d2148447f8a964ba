import { joinFragments, SQL, type SqlFragment } from "../../store/database/database.js";
import type { ModelField } from "../api/model.js";
import { QueryError } from "../query-error.js";
import { type Scope, searchColumn } from "./condition-sql.js";
import { joinSql, ownField } from "./joins.js";
import type { Order } from "./order.js";
import { columnOf, columnSql, type Rows, visibleSql } from "./tables.js";

/** The SQL that orders rows. */
export interface OrderSql {
  /** Other rows that the order needs. */
  readonly joins: SqlFragment;
  /** The sort keys, most significant first. They make the order total. */
  readonly keys: readonly OrderKeySql[];
}

export interface OrderKeySql {
  readonly sql: SqlFragment;
  readonly direction: "asc" | "desc";
}

/**
 * Writes the order of rows.
 * @param isBelow whether the rows are children, which graph-node does not order by fields of referenced entities
 * @throws QueryError
 */
export function orderSql({ by, direction }: Order, rows: Rows, scope: Scope, isBelow: boolean): OrderSql {
  const id = columnSql(rows, "id");
  const keys = (...all: readonly SqlFragment[]): readonly OrderKeySql[] =>
    all.map((sql) => ({ sql, direction }));
  switch (by.kind) {
    case "id":
      return { joins: SQL``, keys: keys(id) };
    case "time":
      return { joins: SQL``, keys: keys(columnSql(rows, "timestamp"), id) };
    case "field": {
      const column = columnOf(rows.table, by.field.name);
      const sql = columnSql(rows, column.name);
      const { prefix } = column.codec;
      return { joins: SQL``, keys: prefix ? keys(prefix.sql(sql), sql, id) : keys(sql, id) };
    }
    case "rank": {
      const { column, algorithm } = searchColumn(by.search, rows);
      const rank = algorithm === "proximityRank" ? SQL`ts_rank_cd` : SQL`ts_rank`;
      const sought = scope.statement.bind(by.text, SQL`text`);
      return { joins: SQL``, keys: keys(SQL`${rank}(${column}, to_tsquery(${sought}))`, id) };
    }
    case "child": {
      if (isBelow) throw notBelow();
      const { joins, sql } = childSql(by.field, by.child, rows, scope);
      // graph-node leaves the order of parents with the same child undefined if it orders by the child's id.
      const last: OrderKeySql = { sql: id, direction: by.child.name === "id" ? "asc" : direction };
      return { joins, keys: [...keys(sql), last] };
    }
  }
}

function notBelow(): QueryError {
  const reason = "SortKey::ChildKey cannot be used for parent ordering (yet)";
  return new QueryError(`Failed to get entities from store: ${reason}`, { attestable: false });
}

function childSql(
  field: ModelField,
  child: ModelField,
  rows: Rows,
  scope: Scope,
): { joins: SqlFragment; sql: SqlFragment } {
  const { api, tables, statement } = scope;
  const own = ownField(rows, field, api);
  const joined = api.type(own.base).concrete.map((type) => {
    const other: Rows = { table: tables.of(type), alias: statement.alias() };
    const on = SQL`${joinSql(rows, own, other)} and ${visibleSql(other, statement.block)}`;
    return {
      join: SQL` left join ${tables.name(other.table)} ${other.alias} on ${on}`,
      sql: columnSql(other, columnOf(other.table, child.name).name),
    };
  });
  const sqls = joined.map(({ sql }) => sql);
  return {
    joins: joinFragments(
      joined.map(({ join }) => join),
      SQL``,
    ),
    sql: sqls.length === 0 ? SQL`null` : sqls.length === 1 ? SQL`${sqls}` : SQL`coalesce(${sqls})`,
  };
}

/** The end of a statement: `order by`, `limit`, `offset`. */
export function pageSql(keys: readonly OrderKeySql[], first: number, skip: number): SqlFragment {
  const order = keys.map(({ sql, direction }) => SQL`${sql} ${direction === "asc" ? SQL`asc` : SQL`desc`}`);
  return SQL` order by ${order} limit ${first}${skip > 0 ? SQL` offset ${skip}` : SQL``}`;
}
