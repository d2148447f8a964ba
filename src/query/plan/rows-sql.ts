import { present } from "../../base/invariant.js";
import { joinFragments, SQL, type SqlFragment } from "../../store/database/database.js";
import type { EntityTable } from "../../store/tables/layout.js";
import type { ModelField } from "../api/model.js";
import type { QueryLimits } from "../limits.js";
import { reasonsIn } from "../query-error.js";
import type { SelectedField, Selection } from "../request/selection.js";
import { type Collection, collectionOf, everyOne } from "./collection.js";
import { conditionSql, type Scope } from "./condition-sql.js";
import { withCurrentSql } from "./current-sql.js";
import { joinColumns, joinSql } from "./joins.js";
import { type OrderSql, orderSql, pageSql } from "./order-sql.js";
import { type BranchPlan, boundedSql, type Cell, type RowsPlan, rowJson } from "./rows-plan.js";
import { columnOf, columnSql, type Rows, visibleSql } from "./tables.js";

/** The number of versions of an entity that are checked one by one. */
const few = 8;

/** A statement that selects rows, each as JSON in the column `j`, and how to read them. */
export interface RowsSql {
  readonly sql: SqlFragment;
  readonly plan: RowsPlan;
  /** The possible number of entities, including everything below them. */
  readonly entities: number;
}

/** A row as JSON, with its joined rows and the columns that both need. */
interface RowSql {
  readonly json: SqlFragment;
  readonly joins: SqlFragment;
  readonly branch: BranchPlan;
  readonly columns: ReadonlySet<string>;
  /** The possible number of entities below it. */
  readonly entities: number;
}

/** The children of a row. */
interface BelowSql {
  readonly join: SqlFragment;
  readonly value: SqlFragment;
  readonly plan: RowsPlan;
  readonly entities: number;
}

const none = { plan: { branches: [], failures: [] }, entities: 0 } as const;

/** A further restriction on rows. */
export interface Restriction {
  condition(rows: Rows): SqlFragment;
  /** The visible rows of a table that satisfy it, if there is a faster way to find them than the condition. */
  source?(table: EntityTable): SqlFragment | undefined;
}

/**
 * The number of references worth looking up in two parts. Planning many nested ones takes the database longer than
 * finding all versions.
 */
const mostInParts = 20;

/** Writes rows of entities, with everything below them, as one statement. */
export class RowsWriter {
  readonly #scope: Scope;
  readonly #limits: QueryLimits;
  /** The number of references written with the lookup of few versions first. */
  #soughtInParts = 0;

  constructor(scope: Scope, limits: QueryLimits) {
    this.#scope = scope;
    this.#limits = limits;
  }

  /**
   * Writes the entities of a collection.
   * @param isBelow whether they are the children of a parent
   * @throws QueryError for an invalid collection
   */
  write(
    collection: Collection,
    selection: Selection,
    restrict: Restriction | undefined,
    isBelow: boolean,
  ): RowsSql {
    const { sql, ...rest } =
      collection.type.kind === "interface"
        ? this.#ofMany(collection, selection, restrict, isBelow)
        : this.#ofOne(collection, selection, restrict, isBelow);
    return { sql: boundedSql(sql, rest.entities, this.#limits.resultBytes), ...rest };
  }

  #ofOne(
    collection: Collection,
    selection: Selection,
    restrict: Restriction | undefined,
    isBelow: boolean,
  ): RowsSql {
    const { tables, statement } = this.#scope;
    const table = tables.of(collection.type.name, collection.interval);
    const inner: Rows = { table, alias: statement.alias() };
    const outer: Rows = { table, alias: statement.alias() };
    const { json, joins, branch, columns, entities } = this.#row(0, outer, selection);
    const order = orderSql(collection.order, inner, this.#scope, isBelow);
    const list = columns.size === 0 ? SQL`1` : SQL`${[...columns].map((name) => columnSql(inner, name))}`;
    const page = pageSql(order.keys, collection.first, collection.skip);
    const found = SQL`select ${list}${this.#from(collection, inner, order, restrict)}${page}`;
    return {
      sql: SQL`select ${json} as j from (${found}) ${outer.alias}${joins}`,
      plan: { branches: [branch], failures: [] },
      entities: collection.first * (1 + entities),
    };
  }

  /** For an interface: first selects which rows of which table, then their contents. */
  #ofMany(
    collection: Collection,
    selection: Selection,
    restrict: Restriction | undefined,
    isBelow: boolean,
  ): RowsSql {
    const { tables, statement } = this.#scope;
    const { type, first, skip } = collection;
    const matches = statement.alias();
    const parts = type.concrete.map((name, number) => {
      const table = tables.of(name);
      const rows: Rows = { table, alias: statement.alias() };
      const order = orderSql(collection.order, rows, this.#scope, isBelow);
      const keys = order.keys.map(({ sql }, index) => SQL`${sql} as k${index}`);
      const page = pageSql(order.keys, first + skip, 0);
      const found = SQL`(select ${number} as n, ${rows.alias}.vid, ${keys}${this.#from(collection, rows, order, restrict)}${page})`;
      const own: Rows = { table, alias: statement.alias() };
      const { json, joins, branch, entities } = this.#row(number, own, selection);
      const read = SQL`when ${number} then (select ${json} from ${tables.name(table)} ${own.alias}${joins} where ${own.alias}.vid = ${matches}.vid)`;
      return { found, read, branch, order, entities };
    });
    const [some] = parts;
    if (!some) return { ...none, sql: SQL`select null::json as j where false` };
    const keys = some.order.keys.map(({ direction }, index) => ({ sql: SQL`u.k${index}`, direction }));
    const union = joinFragments(
      parts.map(({ found }) => found),
      SQL` union all `,
    );
    const page = SQL`select u.* from (${union}) u${pageSql(keys, first, skip)}`;
    const reads = joinFragments(
      parts.map(({ read }) => read),
      SQL` `,
    );
    return {
      sql: SQL`select case ${matches}.n ${reads} end as j from (${page}) ${matches}`,
      plan: { branches: parts.map(({ branch }) => branch), failures: [] },
      entities: first * (1 + Math.max(...parts.map(({ entities }) => entities))),
    };
  }

  #from(
    { type, current, condition }: Collection,
    rows: Rows,
    { joins }: OrderSql,
    restrict: Restriction | undefined,
  ): SqlFragment {
    const { tables, statement } = this.#scope;
    const found = current ? undefined : restrict?.source?.(rows.table);
    const source = current ? withCurrentSql(rows.table, type, this.#scope) : tables.name(rows.table);
    const all = [
      ...(restrict && found === undefined ? [restrict.condition(rows)] : []),
      ...(current || found !== undefined ? [] : [visibleSql(rows, statement.block)]),
      ...(condition ? [conditionSql(condition, rows, this.#scope)] : []),
    ];
    return SQL` from ${found ?? source} ${rows.alias}${joins} where ${all.length === 0 ? SQL`true` : joinFragments(all, SQL` and `)}`;
  }

  #referred(parent: Rows, model: ModelField, table: EntityTable): SqlFragment | undefined {
    if (this.#soughtInParts === mostInParts) return undefined;
    const source = referredSql(parent, model, table, this.#scope);
    if (source !== undefined) this.#soughtInParts += 1;
    return source;
  }

  #row(number: number, rows: Rows, selection: Selection): RowSql {
    const { type } = rows.table;
    const values: SqlFragment[] = [];
    const joins: SqlFragment[] = [];
    let all = 0;
    const columns = new Set<string>();
    const cells = selection.fieldsOf(type).map((field): Cell => {
      if (field.name === "__typename") return { kind: "typename", field };
      const found = this.#scope.api.type(type).fields.get(field.name);
      const model = present(found, `${type}.${field.name} was looked up before`);
      const index = values.length;
      if (model.kind === "reference") {
        for (const name of joinColumns(rows, model)) columns.add(name);
        const { join, value, plan, entities } = this.#below(field, model, rows);
        all += entities;
        joins.push(join);
        values.push(value);
        return { kind: "below", field, model, index, rows: plan };
      }
      const column = columnOf(rows.table, field.name);
      columns.add(column.name);
      values.push(column.codec.jsonSql(columnSql(rows, column.name)));
      return { kind: "leaf", field, model, index, codec: column.codec };
    });
    return {
      json: rowJson(number, values),
      joins: joinFragments(joins, SQL``),
      branch: { type, cells, values: values.length },
      columns,
      entities: all,
    };
  }

  /**
   * Joins children row by row, so that the database caches children that many parents share. Errors in them
   * matter only if there are parents, so they are kept until then.
   */
  #below(field: SelectedField, model: ModelField, parent: Rows): BelowSql {
    const { api, statement } = this.#scope;
    const type = api.type(model.base);
    const restrict: Restriction = {
      condition: (child) => joinSql(parent, model, child),
      source: (table) => this.#referred(parent, model, table),
    };
    // Reads one more than allowed, to detect that there are too many.
    const single = model.derivedFrom === undefined ? 1 : 2;
    try {
      return statement.attempt(() => {
        const collection = model.list ? collectionOf(field, type, api, this.#limits) : everyOne(type, single);
        const selection = present(field.selection, `${field.name} has a selection`);
        const { sql, plan, entities } = this.write(collection, selection, restrict, true);
        const [rows, all] = [statement.alias(), statement.alias()];
        const join = SQL` left join lateral (select json_agg(${rows}.j) as j from (${sql}) ${rows}) ${all} on true`;
        return { join, value: SQL`${all}.j`, plan, entities };
      });
    } catch (error) {
      return {
        join: SQL``,
        value: SQL`null`,
        plan: { ...none.plan, failures: reasonsIn(error) },
        entities: 0,
      };
    }
  }
}

/**
 * The entities of a table that a row refers to, one version of each, as rows to select from instead of the
 * table.
 * @returns `undefined` if the table is as fast: they refer back, or each has only one version
 */
function referredSql(
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
