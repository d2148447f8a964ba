import { present } from "../../base/invariant.js";
import { joinFragments, SQL, type SqlFragment } from "../../store/database/database.js";
import { versionsSql } from "../../store/tables/versions-sql.js";
import type { ApiSchema } from "../api/api-schema.js";
import type { ModelField } from "../api/model.js";
import { QueryError } from "../query-error.js";
import type { Condition } from "./condition.js";
import { fieldSql } from "./field-sql.js";
import { joinSql, ownField } from "./joins.js";
import type { Statement } from "./statement.js";
import { columnSql, type Rows, type Tables, visibleSql } from "./tables.js";

/** The target of condition SQL. */
export interface Scope {
  readonly api: ApiSchema;
  readonly tables: Tables;
  readonly statement: Statement;
}

/** Writes a condition on rows. @throws QueryError for conditions that graph-node's store refuses */
export function conditionSql(condition: Condition, rows: Rows, scope: Scope, isBelow = false): SqlFragment {
  switch (condition.kind) {
    case "and":
    case "or": {
      const all = condition.all.map((one) => conditionSql(one, rows, scope, isBelow));
      if (all.length === 0) return condition.kind === "and" ? SQL`true` : SQL`false`;
      return SQL`(${joinFragments(all, condition.kind === "and" ? SQL` and ` : SQL` or `)})`;
    }
    case "changed":
      return SQL`${versionsSql(rows.table, rows.alias).begins} >= ${scope.statement.bind(condition.since, SQL`int4`)}`;
    case "search": {
      const { column } = searchColumn(condition.search, rows);
      return SQL`${column} @@ to_tsquery(${scope.statement.bind(condition.text, SQL`text`)})`;
    }
    case "child": {
      const { field } = condition;
      if (isBelow) throw nested(field);
      return childSql(field, condition.condition, rows, scope);
    }
    case "field":
      return fieldSql(condition, rows, scope.statement);
  }
}

/** The column of a full-text search. */
export function searchColumn(search: string, rows: Rows): { column: SqlFragment; algorithm: string } {
  const found = rows.table.fulltext.find(({ field }) => field === search);
  const { name, algorithm } = present(found, `the search ${search} has no column`);
  return { column: columnSql(rows, name), algorithm };
}

function nested(field: ModelField): QueryError {
  const attribute = field.derivedFrom ?? field.name;
  return new QueryError(`Child filter nesting not supported by value \`${attribute}\`: \`${field.name}_\``);
}

function childSql(field: ModelField, condition: Condition, parent: Rows, scope: Scope): SqlFragment {
  const { api, tables, statement } = scope;
  const own = ownField(parent, field, api);
  const some = api.type(own.base).concrete.map((type) => {
    const child: Rows = { table: tables.of(type), alias: statement.alias() };
    const all = [
      joinSql(parent, own, child),
      visibleSql(child, statement.block),
      conditionSql(condition, child, scope, true),
    ];
    return SQL`exists (select 1 from ${tables.name(child.table)} ${child.alias} where ${joinFragments(all, SQL` and `)})`;
  });
  return some.length === 0 ? SQL`false` : SQL`(${joinFragments(some, SQL` or `)})`;
}
