import { type Database, SQL, type Sql, type SqlFragment } from "../../../store/database/database.js";
import { quoteName, quoteNames } from "../../../store/database/quote.js";
import { arrayText } from "../../../store/database/sql-array.js";
import type { Changes } from "../../changes/net-changes.js";
import { SinkError } from "../../state/sink-error.js";
import { postgresText } from "../postgres/column-types.js";
import { columnsOf } from "../postgres/postgres-table.js";
import { checkAuditedColumns, foreignRows } from "../tables/check-table.js";
import type { BesideTable, TargetColumn } from "../tables/table-dialect.js";
import { type TargetTable, tableText } from "../tables/target-table.js";
import {
  type Aggregation,
  aggregateOfRows,
  all,
  groupIdentity,
  groupOfRow,
  isExtreme,
  isSum,
  rowsColumn,
  staleColumn,
  sumColumn,
  valuesColumn,
} from "./aggregation.js";
import { GroupsAudit } from "./audit-groups.js";
import { mergeGroups } from "./merge-groups.js";

/**
 * A table with one row for each group of rows of the landing table.
 * It is written in the landing table's transactions. Changes are subtracted and added, so the cost depends on the
 * batch and not on the number of groups. Only if the smallest or largest value of a group is removed, the group's
 * rows are searched for the next one.
 */
export class AggregateTable implements BesideTable<Sql, Database> {
  readonly #landing: TargetTable;
  readonly table: TargetTable;
  readonly #aggregation: Aggregation;

  constructor(landing: TargetTable, table: TargetTable, aggregation: Aggregation) {
    this.#landing = landing;
    this.table = table;
    this.#aggregation = aggregation;
  }

  /**
   * Creates the table if it does not exist, with the groups of the rows in the landing table.
   * @throws SinkError if the table holds something else; DatabaseError
   */
  async prepare(database: Database, isNew: boolean, onCreate: (sql: Sql) => Promise<void>): Promise<void> {
    const existing = await columnsOf(database, this.table);
    const wanted = this.#columns();
    if (existing.size === 0) {
      await database.transaction(async (sql) => {
        await this.#create(sql, wanted);
        await sql.query(mergeGroups(this.#aggregation, this.#names, "plus", SQL`true`));
        await onCreate(sql);
      });
      return;
    }
    const other = [...wanted.keys()].find((name) => !existing.has(name));
    if (other === undefined && existing.size === wanted.size) {
      const rows = isNew ? await database.query(SQL`select 1 from ${this.#names.aggregate} limit 1`) : [];
      if (rows.length > 0) throw foreignRows(this.table);
      return;
    }
    const what = other === undefined ? "has other columns" : `has no column ${other}`;
    throw new SinkError(
      `Table ${tableText(this.table)} ${what}, so it belongs to other aggregates. Choose another table, or drop it with: drop table ${tableText(this.table)}. It is computed again from ${tableText(this.#landing)}.`,
      false,
    );
  }

  async around(
    sql: Sql,
    changes: Changes,
    columns: readonly TargetColumn[],
    write: () => Promise<void>,
  ): Promise<void> {
    if (changes.rows.count === 0) return write();
    const { key: names } = changes.schema;
    // Without a key, all columns identify a row.
    const key = names.length === 0 ? columns : columns.filter(({ name }) => names.includes(name));
    const texts = key.map(({ name, type }) => {
      const index = changes.schema.columns.findIndex((column) => column.name === name);
      return arrayText((changes.rows.columns[index] ?? []).map((value) => postgresText(value, type)));
    });
    const which = rowsWithKeys(key, names.length === 0);
    const flagged = await sql.query(mergeGroups(this.#aggregation, this.#names, "minus", which), texts);
    await write();
    await sql.query(mergeGroups(this.#aggregation, this.#names, "plus", which), texts);
    if (flagged.length > 0) await this.#settle(sql, flagged);
  }

  async lock(sql: Sql): Promise<void> {
    await sql.query(SQL`lock table ${this.#names.aggregate} in share row exclusive mode`);
  }

  async audit(sql: Sql, most: number): Promise<GroupsAudit> {
    const existing = await columnsOf(sql, this.table);
    const columns = this.#columns();
    const names = [...columns.keys()].map((name) => ({ name }));
    checkAuditedColumns(this.table, names, existing);
    return new GroupsAudit(sql, { table: this.table, aggregation: this.#aggregation, columns }, most);
  }

  /** Removes empty groups, and finds the smallest and largest values that are not known anymore. */
  async #settle(sql: Sql, flagged: readonly Readonly<Record<string, string | null>>[]): Promise<void> {
    const { groups, aggregates } = this.#aggregation;
    const { aggregate, landing } = this.#names;
    const texts = groups.map(({ name }) => arrayText(flagged.map((row) => row[name] ?? null)));
    const given = SQL`unnest(${groups.map((_, index) => SQL`$${index + 1}::text[]`)}) as given (${groups.map(({ name }) => quoteName(name))})`;
    const isGiven = equal(
      groupIdentity(
        groups,
        groups.map(({ name, sqlType }) => SQL`given.${quoteName(name)}::${sqlType}`),
      ),
      this.#identity(SQL`a`),
    );
    await sql.query(
      SQL`delete from ${aggregate} a using ${given} where ${isGiven} and a.${rowsColumn} = 0`,
      texts,
    );
    const extremes = aggregates.filter(isExtreme);
    if (extremes.length === 0) return;
    const found = extremes.map(
      (column) =>
        SQL`${quoteName(column.name)} = (select ${aggregateOfRows(column)} from ${landing} t where ${equal(this.#identityOfRow, this.#identity(SQL`a`))})`,
    );
    await sql.query(
      SQL`update ${aggregate} a set ${[...found, SQL`${staleColumn} = false`]} from ${given} where ${isGiven} and a.${staleColumn}`,
      texts,
    );
  }

  async #create(sql: Sql, columns: ReadonlyMap<string, SqlFragment>): Promise<void> {
    const { groups, aggregates } = this.#aggregation;
    const lines = [...columns].map(([name, type]) => SQL`${quoteName(name)} ${type}`);
    await sql.run(SQL`create schema if not exists ${quoteName(this.table.schema)}`);
    await sql.run(SQL`create table ${this.#names.aggregate} (${lines})`);
    const names = groups.map(({ name }) => quoteName(name));
    await sql.run(SQL`create unique index on ${this.#names.aggregate} (${groupIdentity(groups, names)})`);
    // Some casts depend on settings, so they are not allowed in an index.
    if (aggregates.some(isExtreme) && !groups.some(({ isCast }) => isCast))
      await sql.run(
        SQL`create index if not exists ${quoteName(`${this.#landing.name}_groups`)} on ${this.#names.landing} (${groupIdentity(groups, names)})`,
      );
  }

  /** All columns with their types. */
  #columns(): ReadonlyMap<string, SqlFragment> {
    const columns = new Map<string, SqlFragment>();
    for (const { name, sqlType } of this.#aggregation.groups) columns.set(name, sqlType);
    for (const { name, sqlType } of this.#aggregation.aggregates) columns.set(name, sqlType);
    columns.set("graphloom_rows", SQL`bigint not null`);
    columns.set("graphloom_stale", SQL`boolean not null`);
    for (const column of this.#aggregation.aggregates) {
      if (!isExtreme(column)) columns.set(unquoted(valuesColumn(column)), SQL`bigint not null`);
      if (isSum(column)) columns.set(unquoted(sumColumn(column)), SQL`numeric not null`);
    }
    return columns;
  }

  get #names(): { readonly landing: SqlFragment; readonly aggregate: SqlFragment } {
    return {
      landing: quoteNames(this.#landing.schema, this.#landing.name),
      aggregate: quoteNames(this.table.schema, this.table.name),
    };
  }

  #identity(of: SqlFragment): readonly SqlFragment[] {
    const { groups } = this.#aggregation;
    return groupIdentity(
      groups,
      groups.map(({ name }) => SQL`${of}.${quoteName(name)}`),
    );
  }

  get #identityOfRow(): readonly SqlFragment[] {
    return groupIdentity(this.#aggregation.groups, groupOfRow(this.#aggregation.groups));
  }
}

/** Rows `t` of the landing table with the given keys, which are one array for each column. */
function rowsWithKeys(key: readonly TargetColumn[], isKeyless: boolean): SqlFragment {
  const names = key.map(({ name }) => quoteName(name));
  const given = SQL`unnest(${key.map((_, index) => SQL`$${index + 1}::text[]`)}) as given (${names})`;
  const typed = key.map(({ name, sqlType }) => SQL`given.${quoteName(name)}::${sqlType}`);
  const own = names.map((name) => SQL`t.${name}`);
  if (!isKeyless) return SQL`(${own}) in (select ${typed} from ${given})`;
  return SQL`exists (select 1 from ${given} where (${own}) is not distinct from (${typed}))`;
}

function equal(one: readonly SqlFragment[], other: readonly SqlFragment[]): SqlFragment {
  return all(one.map((expression, index) => SQL`${expression} = ${other[index] ?? SQL`null`}`));
}

function unquoted(name: SqlFragment): string {
  return name.slice(1, -1).replaceAll('""', '"');
}
