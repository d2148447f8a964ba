import { SQL, type Sql, type SqlFragment } from "../../../store/database/database.js";
import { quoteName, quoteNames, quoteText } from "../../../store/database/quote.js";
import { parseArray } from "../../../store/database/sql-array.js";
import { type DifferenceKind, differenceCounts, type RowDifference, type RowDifferences } from "../audit.js";
import type { BesideAudit } from "../tables/table-dialect.js";
import { type TargetTable, tableText } from "../tables/target-table.js";
import {
  type AggregateColumn,
  type Aggregation,
  all,
  groupIdentity,
  isSum,
  sumColumn,
  valuesColumn,
} from "./aggregation.js";
import { mergeGroups } from "./merge-groups.js";

/** The table of groups to compare. */
export interface AuditedGroups {
  readonly table: TargetTable;
  readonly aggregation: Aggregation;
  /** All columns, with their SQL types. */
  readonly columns: ReadonlyMap<string, SqlFragment>;
}

const expected = quoteNames("pg_temp", "graphloom_groups");
const differences = quoteNames("pg_temp", "graphloom_group_differences");

/**
 * Compares a table of groups with the aggregates of the landing table's rows, as they are or after a repair.
 * The database compares, in a transaction whose end drops the temporary tables.
 */
export class GroupsAudit implements BesideAudit {
  readonly #sql: Sql;
  readonly #groups: AuditedGroups;
  readonly #most: number;

  /** @param most how many groups to report one by one, at most */
  constructor(sql: Sql, groups: AuditedGroups, most: number) {
    this.#sql = sql;
    this.#groups = groups;
    this.#most = most;
  }

  async compare(rows: SqlFragment): Promise<RowDifferences> {
    const { aggregation, columns } = this.#groups;
    const { groups } = aggregation;
    const lines = [...columns].map(([name, type]) => SQL`${quoteName(name)} ${type}`);
    await this.#sql.query(SQL`create temporary table ${expected} (${lines}) on commit drop`);
    await this.#sql.query(
      SQL`create unique index on ${expected} (${groupIdentity(
        groups,
        groups.map(({ name }) => quoteName(name)),
      )})`,
    );
    await this.#sql.query(
      mergeGroups(aggregation, { landing: rows, aggregate: expected }, "plus", SQL`true`),
    );
    await this.#sql.query(SQL`analyze ${expected}`);
    const identity = this.#identity(SQL`a`);
    const other = this.#identity(SQL`e`);
    const isSame = all(identity.map((part, index) => SQL`${part} = ${other[index] ?? SQL`null`}`));
    await this.#sql.query(
      SQL`create temporary table ${differences} on commit drop as
        select case when a.place is null then 'missing' when e.place is null then 'foreign' when number > 1 then 'doubled' else 'altered' end as kind,
          a.place as place, e.place as wanted
        from (select a.*, a.ctid as place, row_number() over (partition by ${identity} order by a.ctid) as number from ${this.#table} a) a
        full join (select e.*, e.ctid as place from ${expected} e) e on ${isSame}
        where a.place is null or e.place is null or number > 1 or not (${all(this.#same.map(([, same]) => same))})`,
    );
    return { counts: await this.#counts(), first: await this.#first(), notes: [], strays: [] };
  }

  async mend(): Promise<void> {
    const names = [...this.#groups.columns.keys()].map(quoteName);
    await this.#sql.query(SQL`delete from ${this.#table} a using ${differences} d where a.ctid = d.place`);
    await this.#sql.query(
      SQL`insert into ${this.#table} (${names}) select ${names.map((name) => SQL`e.${name}`)}
        from ${expected} e join ${differences} d on d.wanted = e.ctid where d.kind in ('missing', 'altered')`,
    );
  }

  get #table(): SqlFragment {
    const { schema, name } = this.#groups.table;
    return quoteNames(schema, name);
  }

  #identity(alias: SqlFragment): readonly SqlFragment[] {
    const { groups } = this.#groups.aggregation;
    return groupIdentity(
      groups,
      groups.map(({ name }) => SQL`${alias}.${quoteName(name)}`),
    );
  }

  /** The aggregate columns, with an expression for whether each is equal in `a` and `e`. */
  get #same(): readonly (readonly [string, SqlFragment])[] {
    const { groups, aggregates } = this.#groups.aggregation;
    const names = [...this.#groups.columns.keys()].filter(
      (name) => !groups.some((group) => group.name === name),
    );
    return names.map((name) => {
      const average = aggregates.find(
        (column) => column.name === name && column.fn === "avg" && isSum(column),
      );
      const wanted = average ? averageOf(average) : SQL`e.${quoteName(name)}`;
      return [name, SQL`(a.${quoteName(name)} is not distinct from ${wanted})`] as const;
    });
  }

  async #counts(): Promise<RowDifferences["counts"]> {
    const rows = await this.#sql.query(SQL`select kind, count(*) as held from ${differences} group by 1`);
    return differenceCounts(rows.map(({ kind, held }) => [kind as DifferenceKind, Number(held)]));
  }

  async #first(): Promise<readonly RowDifference[]> {
    const { aggregation, table } = this.#groups;
    const texts = aggregation.groups.map(({ name }) => {
      const column = quoteName(name);
      return SQL`case when a.ctid is null then e.${column}::text else a.${column}::text end`;
    });
    const differing = this.#same.map(
      ([name, same]) => SQL`case when not ${same} then ${quoteText(name)}::text end`,
    );
    const rows = await this.#sql.query(
      SQL`select d.kind, array[${texts}]::text[] as key, array_remove(array[${differing}], null) as columns
        from ${differences} d left join ${this.#table} a on a.ctid = d.place left join ${expected} e on e.ctid = d.wanted
        order by array_position(array['missing', 'altered', 'doubled', 'foreign'], d.kind), ${texts} limit ${this.#most}`,
    );
    return rows.map(({ kind, key, columns }) => {
      const values = parseArray(key ?? "{}");
      return {
        kind: kind as DifferenceKind,
        table: tableText(table),
        key: Object.fromEntries(aggregation.groups.map(({ name }, index) => [name, values[index] ?? null])),
        ...(kind === "altered" && { columns: parseArray(columns ?? "{}").map((name) => name ?? "") }),
      };
    });
  }
}

/**
 * The digits of an average depend on all numbers that ever entered the sum, so it is computed from the stored sum.
 */
function averageOf(column: AggregateColumn): SqlFragment {
  return SQL`(case when a.${valuesColumn(column)} = 0 then null else a.${sumColumn(column)} / nullif(a.${valuesColumn(column)}, 0) end)::${column.sqlType}`;
}
