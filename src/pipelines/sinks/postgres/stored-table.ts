import { joinFragments, SQL, type Sql, type SqlFragment } from "../../../store/database/database.js";
import { quoteName, quoteNames, quoteText } from "../../../store/database/quote.js";
import { parseArray } from "../../../store/database/sql-array.js";
import type { Changes } from "../../changes/net-changes.js";
import {
  type BlockRange,
  type DifferenceKind,
  differenceCounts,
  joinDifferences,
  type RowDifference,
  type RowDifferences,
  type StoredRows,
} from "../audit.js";
import type { TargetTable } from "../tables/target-table.js";
import { UnfitExpected } from "../tables/unfit-expected.js";
import type { BesideAudit } from "./postgres-sink.js";
import { failureOf } from "./refused-rows.js";
import type { TargetColumn } from "./target-table.js";
import { writeChanges } from "./write-changes.js";

/** Which table to compare, and how to write its rows. */
export interface StoredTableOptions {
  readonly table: TargetTable;
  readonly columns: readonly TargetColumn[];
  /** Names of columns; empty if rows have no key. */
  readonly key: readonly string[];
  readonly onConflict: "update" | "nothing";
  readonly sources: readonly string[];
  readonly mends: boolean;
  readonly most: number;
  /** Another table that follows this table. */
  readonly beside?: BesideAudit | undefined;
}

/** Extra columns of the differences, with names that no user's column has. */
const [kindName, placeName] = [quoteName("graphloom$kind"), quoteName("graphloom$place")];
/** The range of changes that delete rows which are not to be compared. */
const nowhere: BlockRange = { from: 0, to: 0 };
const differences = quoteNames("pg_temp", "graphloom_differences");

/**
 * Compares a table with its expected rows.
 * The sink's own writer puts these into temporary tables with the same types, one for each source, so values are
 * compared as they are stored. The database compares, so memory is bounded.
 */
export class StoredTable implements StoredRows {
  readonly #sql: Sql;
  readonly #options: StoredTableOptions;
  readonly #stored: SqlFragment;
  /** The columns that identify a row: the key, or all. */
  readonly #key: readonly SqlFragment[];
  readonly #columns: readonly SqlFragment[];
  readonly #unfit = new UnfitExpected();

  private constructor(sql: Sql, options: StoredTableOptions) {
    this.#sql = sql;
    this.#options = options;
    const { table, columns, key } = options;
    this.#stored = quoteNames(table.schema, table.name);
    this.#columns = columns.map(({ name }) => quoteName(name));
    this.#key = key.length === 0 ? this.#columns : key.map(quoteName);
  }

  /** @param sql a transaction, whose end drops the temporary tables */
  static async open(sql: Sql, options: StoredTableOptions): Promise<StoredTable> {
    const opened = new StoredTable(sql, options);
    for (const source of options.sources) await opened.#prepare(source);
    return opened;
  }

  async #prepare(source: string): Promise<void> {
    const { schema, name } = this.#expected(source);
    const table = quoteNames(schema, name);
    await this.#sql.query(
      SQL`create temporary table ${table} on commit drop as select ${this.#columns} from ${this.#stored} with no data`,
    );
    if (this.#hasKey) await this.#sql.query(SQL`create unique index on ${table} (${this.#key})`);
  }

  get #hasKey(): boolean {
    return this.#options.key.length > 0;
  }

  #expected(source: string): TargetTable {
    return { schema: "pg_temp", name: `graphloom_expected_${this.#options.sources.indexOf(source)}` };
  }

  async expect(source: string, range: BlockRange, changes: Changes): Promise<void> {
    await this.#put(source, range, changes, this.#options.onConflict);
  }

  async overtake(changes: Changes): Promise<void> {
    if (!this.#hasKey) return;
    const gone: Changes = { ...changes, operations: changes.operations.map(() => "d") };
    for (const source of this.#options.sources) await this.#put(source, nowhere, gone, "update");
  }

  async #put(
    source: string,
    range: BlockRange,
    changes: Changes,
    onConflict: "update" | "nothing",
  ): Promise<void> {
    const { columns } = this.#options;
    await this.#unfit.put(source, range, changes, async (some) => {
      const write = (): Promise<void> =>
        writeChanges(this.#sql, this.#expected(source), columns, onConflict, some);
      return (await failureOf(this.#sql, write))?.message;
    });
  }

  async differs(): Promise<boolean> {
    await this.#compare(false);
    const rows = await this.#sql.query(SQL`select 1 from ${differences} limit 1`);
    await this.#sql.query(SQL`drop table ${differences}`);
    return rows.length > 0;
  }

  async finish(isWhole: boolean): Promise<RowDifferences> {
    const { mends, most, beside } = this.#options;
    if (mends) this.#unfit.refuse();
    await this.#compare(isWhole && this.#unfit.isEmpty);
    const { notes } = this.#unfit;
    const found = { counts: await this.#counts(), first: await this.#first(), notes, strays: [] };
    const besides = await beside?.compare(this.#right);
    if (mends) await this.#mend();
    if (mends) await beside?.mend();
    return besides ? joinDifferences(found, besides, most) : found;
  }

  /** The rows after a repair. */
  get #right(): SqlFragment {
    const kept = SQL`select ${this.#of(SQL`t`, this.#columns)} from ${this.#stored} t
      where not exists (select 1 from ${differences} d where d.${placeName} = t.ctid)`;
    const mended = this.#hasKey
      ? this.#wanted
      : SQL`(select ${this.#columns} from ${differences} where ${kindName} = 'missing')`;
    return SQL`(${kept} union all ${mended})`;
  }

  /** Missing and altered rows, with the expected values. */
  get #wanted(): SqlFragment {
    return SQL`(select distinct on (${this.#of(SQL`e`, this.#key)}) ${this.#of(SQL`e`, this.#columns)} from ${this.#all} e
      join ${differences} d on ${and(this.#key.map((name) => SQL`d.${name} = e.${name}`))}
      where d.${kindName} in ('missing', 'altered'))`;
  }

  async #compare(isWhole: boolean): Promise<void> {
    for (const source of this.#options.sources) {
      const { schema, name } = this.#expected(source);
      await this.#sql.query(SQL`analyze ${quoteNames(schema, name)}`);
    }
    await this.#sql.query(
      SQL`create temporary table ${differences} on commit drop as
        select ''::text as ${kindName}, null::tid as ${placeName}, ${this.#key} from ${this.#stored} with no data`,
    );
    const found = this.#hasKey ? this.#byKey(isWhole) : this.#byCopies(isWhole);
    for (const query of found) await this.#sql.query(SQL`insert into ${differences} ${query}`);
  }

  /** All expected rows, in one table. */
  get #all(): SqlFragment {
    const parts = this.#options.sources.map((source) => {
      const { schema, name } = this.#expected(source);
      return SQL`select ${this.#columns} from ${quoteNames(schema, name)}`;
    });
    return SQL`(${joinFragments(parts, SQL` union all `)})`;
  }

  #of(alias: SqlFragment, names: readonly SqlFragment[]): readonly SqlFragment[] {
    return names.map((name) => SQL`${alias}.${name}`);
  }

  get #sameKey(): SqlFragment {
    return and(this.#key.map((name) => SQL`t.${name} = e.${name}`));
  }

  /** Some types have no equality, and others treat different values as equal. */
  get #sameRow(): SqlFragment {
    return and(this.#columns.map((name) => SQL`t.${name}::text is not distinct from e.${name}::text`));
  }

  /** A row that two sources produce may match either of them. */
  #byKey(isWhole: boolean): readonly SqlFragment[] {
    const own = this.#of(SQL`t`, this.#key);
    const missing = SQL`select distinct 'missing', null::tid, ${this.#of(SQL`e`, this.#key)} from ${this.#all} e
      where not exists (select 1 from ${this.#stored} t where ${this.#sameKey})`;
    const foreign = SQL`select 'foreign', t.ctid, ${own} from ${this.#stored} t
      where not exists (select 1 from ${this.#all} e where ${this.#sameKey})`;
    const joined = SQL`select t.ctid as place, ${own}, bool_or(${this.#sameRow}) as is_same,
        row_number() over (partition by ${own} order by bool_or(${this.#sameRow}) desc, t.ctid) as number
      from ${this.#stored} t join ${this.#all} e on ${this.#sameKey} group by t.ctid, ${own}`;
    const others = SQL`select case when number > 1 then 'doubled' else 'altered' end, place, ${this.#key}
      from (${joined}) j where number > 1 or not is_same`;
    return isWhole ? [missing, foreign, others] : [missing, others];
  }

  /** Without a key, equal rows are counted. */
  #byCopies(isWhole: boolean): readonly SqlFragment[] {
    const numbered = (alias: SqlFragment, from: SqlFragment, place: SqlFragment): SqlFragment => {
      const identity = this.#identity(alias);
      return SQL`(select ${identity} as identity, ${place} as place, ${this.#of(alias, this.#columns)},
        row_number() over (partition by ${identity}) as number from ${from} ${alias})`;
    };
    const counted = (alias: SqlFragment, from: SqlFragment): SqlFragment =>
      SQL`(select ${this.#identity(alias)} as identity, count(*) as copies from ${from} ${alias} group by 1)`;
    const missing = SQL`select 'missing', null::tid, ${this.#columns}
      from ${numbered(SQL`e`, this.#all, SQL`null::tid`)} x left join ${counted(SQL`t`, this.#stored)} y using (identity)
      where number > coalesce(copies, 0)`;
    const surplus = SQL`select case when copies is null then 'foreign' else 'doubled' end, place, ${this.#columns}
      from ${numbered(SQL`t`, this.#stored, SQL`t.ctid`)} x left join ${counted(SQL`e`, this.#all)} y using (identity)
      where number > coalesce(copies, 0)`;
    // The surplus row may equal one of another range.
    return isWhole ? [missing, surplus] : [missing];
  }

  #identity(alias: SqlFragment): SqlFragment {
    return SQL`row(${this.#of(alias, this.#columns).map((name) => SQL`${name}::text`)})::text`;
  }

  async #counts(): Promise<Readonly<Record<DifferenceKind, number>>> {
    const rows = await this.#sql.query(
      SQL`select ${kindName} as kind, count(*) as rows from ${differences} group by 1`,
    );
    return differenceCounts(rows.map(({ kind, rows: count }) => [kind as DifferenceKind, Number(count)]));
  }

  async #first(): Promise<readonly RowDifference[]> {
    const names = this.#options.columns.map(
      ({ name }) =>
        SQL`case when t.${quoteName(name)}::text is distinct from e.${quoteName(name)}::text then ${quoteText(name)}::text end`,
    );
    const keyTexts = this.#of(SQL`d`, this.#key).map((name) => SQL`${name}::text`);
    const altered = SQL`select array_remove(array[${names}], null) from ${this.#stored} t join ${this.#all} e on ${this.#sameKey}
      where t.ctid = d.${placeName} limit 1`;
    const rows = await this.#sql.query(
      SQL`select d.${kindName} as kind, ${this.#hasKey ? SQL`case when d.${kindName} = 'altered' then (${altered}) end` : SQL`null`} as columns,
          array[${keyTexts}]::text[] as key
        from ${differences} d order by array_position(array['missing', 'altered', 'doubled', 'foreign'], d.${kindName}), ${keyTexts} limit ${this.#options.most}`,
    );
    const keyNames = this.#hasKey ? this.#options.key : this.#options.columns.map(({ name }) => name);
    return rows.map(({ kind, columns, key }) => {
      const values = parseArray(key ?? "{}");
      return {
        kind: kind as DifferenceKind,
        key: Object.fromEntries(keyNames.map((name, index) => [name, values[index] ?? null])),
        ...(columns != null && { columns: parseArray(columns).map((name) => name ?? "") }),
      };
    });
  }

  async #mend(): Promise<void> {
    await this.#sql.query(SQL`delete from ${this.#stored} t using ${differences} d
      where t.ctid = d.${placeName} and d.${kindName} in ('doubled', 'foreign')`);
    if (!this.#hasKey) {
      await this.#sql.query(SQL`insert into ${this.#stored} (${this.#columns})
        select ${this.#columns} from ${differences} where ${kindName} = 'missing'`);
      return;
    }
    const others = this.#columns.filter((name) => !this.#key.includes(name));
    const wanted = this.#wanted;
    if (others.length > 0)
      await this.#sql.query(SQL`update ${this.#stored} t set ${others.map((name) => SQL`${name} = e.${name}`)}
        from ${wanted} e join ${differences} d on d.${kindName} = 'altered' and ${and(this.#key.map((name) => SQL`d.${name} = e.${name}`))}
        where t.ctid = d.${placeName}`);
    await this.#sql.query(SQL`insert into ${this.#stored} (${this.#columns}) select ${this.#of(SQL`e`, this.#columns)} from ${wanted} e
      join ${differences} d on d.${kindName} = 'missing' and ${and(this.#key.map((name) => SQL`d.${name} = e.${name}`))}`);
  }
}

function and(conditions: readonly SqlFragment[]): SqlFragment {
  return joinFragments(conditions, SQL` and `);
}
