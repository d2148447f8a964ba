import { joinFragments, type Row, SQL, type SqlFragment } from "../../../store/database/database.js";
import { quoteName, quoteText } from "../../../store/database/quote.js";
import { type DifferenceKind, differenceCounts, type RowDifference, type RowDifferences } from "../audit.js";
import type { ComparedTable, Comparison } from "./table-dialect.js";
import type { TargetTable } from "./target-table.js";

/** A database that speaks PostgreSQL's SQL, and whose rows have places by which they are found again. */
export interface PlacedRows<Session> {
  ask(session: Session, statement: SqlFragment): Promise<readonly Row[]>;
  /** A table in SQL. */
  name(table: TargetTable): SqlFragment;
  /** The column of a row's place, and a missing place. */
  readonly place: SqlFragment;
  readonly noPlace: SqlFragment;
  /** The schema of temporary tables. */
  readonly temporary: string;
  /** Creates a temporary table. It is gone when the audit ends. */
  create(table: SqlFragment, query: SqlFragment): SqlFragment;
}

/** The columns of differences besides those of the key, by names that no user has. */
const [kindName, placeName] = [quoteName("graphloom$kind"), quoteName("graphloom$place")];

/** Compares the rows of a table with those in temporary tables, in the database. */
export async function comparePlaced<Session>(
  session: Session,
  rows: PlacedRows<Session>,
  compared: ComparedTable,
): Promise<Comparison> {
  const comparison = new PlacedComparison(session, rows, compared);
  await comparison.prepare();
  return comparison;
}

class PlacedComparison<Session> implements Comparison {
  readonly expected: readonly TargetTable[];
  readonly #session: Session;
  readonly #rows: PlacedRows<Session>;
  readonly #compared: ComparedTable;
  readonly #stored: SqlFragment;
  readonly #differences: SqlFragment;
  /** The columns that tell rows apart: the key, or all. */
  readonly #key: readonly SqlFragment[];
  readonly #columns: readonly SqlFragment[];

  constructor(session: Session, rows: PlacedRows<Session>, compared: ComparedTable) {
    this.#session = session;
    this.#rows = rows;
    this.#compared = compared;
    const { table, columns, key, sources } = compared;
    const schema = rows.temporary;
    this.expected = Array.from({ length: sources }, (_, index) => ({
      schema,
      name: `graphloom_expected_${index}`,
    }));
    this.#differences = rows.name({ schema, name: "graphloom_differences" });
    this.#stored = rows.name(table);
    this.#columns = columns.map(({ name }) => quoteName(name));
    this.#key = key.length === 0 ? this.#columns : key.map(quoteName);
  }

  async prepare(): Promise<void> {
    for (const expected of this.expected) {
      const table = this.#rows.name(expected);
      const empty = SQL`select ${this.#columns} from ${this.#stored} limit 0`;
      await this.#ask(this.#rows.create(table, empty));
      if (this.#hasKey)
        await this.#ask(
          SQL`create unique index ${quoteName(`${expected.name}_key`)} on ${table} (${this.#key})`,
        );
    }
  }

  async #ask(statement: SqlFragment): Promise<readonly Row[]> {
    return this.#rows.ask(this.#session, statement);
  }

  get #hasKey(): boolean {
    return this.#compared.key.length > 0;
  }

  async differs(): Promise<boolean> {
    const rows = await this.#ask(SQL`select 1 from ${this.#differences} limit 1`);
    await this.#ask(SQL`drop table ${this.#differences}`);
    return rows.length > 0;
  }

  async found(): Promise<RowDifferences> {
    return { counts: await this.#counts(), first: await this.#first(), notes: [], strays: [] };
  }

  get right(): SqlFragment {
    const kept = SQL`select ${of(SQL`t`, this.#columns)} from ${this.#stored} t
      where not exists (select 1 from ${this.#differences} d where d.${placeName} = t.${this.#rows.place})`;
    const mended = this.#hasKey
      ? this.#wanted
      : SQL`(select ${this.#columns} from ${this.#differences} where ${kindName} = 'missing')`;
    return SQL`(${kept} union all ${mended})`;
  }

  /** Rows that are missing or altered, as they should be. */
  get #wanted(): SqlFragment {
    return SQL`(select distinct on (${of(SQL`e`, this.#key)}) ${of(SQL`e`, this.#columns)} from ${this.#all} e
      join ${this.#differences} d on ${this.#sameKey(SQL`d`, SQL`e`)}
      where d.${kindName} in ('missing', 'altered'))`;
  }

  async compare(isWhole: boolean): Promise<void> {
    for (const table of this.expected) await this.#ask(SQL`analyze ${this.#rows.name(table)}`);
    const empty = SQL`select cast('' as text) as ${kindName}, ${this.#rows.noPlace} as ${placeName}, ${this.#key}
      from ${this.#stored} limit 0`;
    await this.#ask(this.#rows.create(this.#differences, empty));
    const found = this.#hasKey ? this.#byKey(isWhole) : this.#byCopies(isWhole);
    for (const query of found) await this.#ask(SQL`insert into ${this.#differences} ${query}`);
  }

  /** All that should be there, in one table. */
  get #all(): SqlFragment {
    const parts = this.expected.map((table) => SQL`select ${this.#columns} from ${this.#rows.name(table)}`);
    return SQL`(${joinFragments(parts, SQL` union all `)})`;
  }

  #sameKey(one: SqlFragment, other: SqlFragment): SqlFragment {
    return and(this.#key.map((name) => SQL`${one}.${name} = ${other}.${name}`));
  }

  /** Some types have no equality, and others call different values equal. */
  get #sameRow(): SqlFragment {
    return and(this.#columns.map((name) => SQL`t.${name}::text is not distinct from e.${name}::text`));
  }

  /** A row that two sources make may be as either of them has it. */
  #byKey(isWhole: boolean): readonly SqlFragment[] {
    const { place, noPlace } = this.#rows;
    const own = of(SQL`t`, this.#key);
    const sameKey = this.#sameKey(SQL`t`, SQL`e`);
    const missing = SQL`select distinct 'missing', ${noPlace}, ${of(SQL`e`, this.#key)} from ${this.#all} e
      where not exists (select 1 from ${this.#stored} t where ${sameKey})`;
    const foreign = SQL`select 'foreign', t.${place}, ${own} from ${this.#stored} t
      where not exists (select 1 from ${this.#all} e where ${sameKey})`;
    const joined = SQL`select t.${place} as place, ${own}, bool_or(${this.#sameRow}) as is_same,
        row_number() over (partition by ${own} order by bool_or(${this.#sameRow}) desc, t.${place}) as number
      from ${this.#stored} t join ${this.#all} e on ${sameKey} group by t.${place}, ${own}`;
    const others = SQL`select case when number > 1 then 'doubled' else 'altered' end, place, ${this.#key}
      from (${joined}) j where number > 1 or not is_same`;
    return isWhole ? [missing, foreign, others] : [missing, others];
  }

  /** Without a key, equal rows are counted. */
  #byCopies(isWhole: boolean): readonly SqlFragment[] {
    const { place, noPlace } = this.#rows;
    const numbered = (alias: SqlFragment, from: SqlFragment, at: SqlFragment): SqlFragment => {
      const identity = this.#identity(alias);
      return SQL`(select ${identity} as identity, ${at} as place, ${of(alias, this.#columns)},
        row_number() over (partition by ${identity}) as number from ${from} ${alias})`;
    };
    const counted = (alias: SqlFragment, from: SqlFragment): SqlFragment =>
      SQL`(select ${this.#identity(alias)} as identity, count(*) as copies from ${from} ${alias} group by 1)`;
    const missing = SQL`select 'missing', ${noPlace}, ${this.#columns}
      from ${numbered(SQL`e`, this.#all, noPlace)} x left join ${counted(SQL`t`, this.#stored)} y using (identity)
      where number > coalesce(copies, 0)`;
    const surplus = SQL`select case when copies is null then 'foreign' else 'doubled' end, place, ${this.#columns}
      from ${numbered(SQL`t`, this.#stored, SQL`t.${place}`)} x left join ${counted(SQL`e`, this.#all)} y using (identity)
      where number > coalesce(copies, 0)`;
    // An equal row of another range may be the one that is too many.
    return isWhole ? [missing, surplus] : [missing];
  }

  #identity(alias: SqlFragment): SqlFragment {
    return SQL`row(${of(alias, this.#columns).map((name) => SQL`${name}::text`)})::text`;
  }

  async #counts(): Promise<Readonly<Record<DifferenceKind, number>>> {
    const rows = await this.#ask(
      SQL`select ${kindName} as kind, count(*) as held from ${this.#differences} group by 1`,
    );
    return differenceCounts(rows.map(({ kind, held }) => [kind as DifferenceKind, Number(held)]));
  }

  /** With the columns in which an altered row differs. */
  async #first(): Promise<readonly RowDifference[]> {
    const { columns, key, most } = this.#compared;
    const differing = columns.map(
      ({ name }, index) =>
        SQL`case when t.${quoteName(name)}::text is distinct from e.${quoteName(name)}::text then ${quoteText(name)} end as ${quoteName(`differs${index}`)}`,
    );
    const keyTexts = of(SQL`d`, this.#key).map((name) => SQL`${name}::text`);
    const texts = keyTexts.map((text, index) => SQL`${text} as ${quoteName(`key${index}`)}`);
    const joins = this.#hasKey
      ? SQL`left join ${this.#stored} t on d.${kindName} = 'altered' and t.${this.#rows.place} = d.${placeName}
        left join ${this.#wanted} e on d.${kindName} = 'altered' and ${this.#sameKey(SQL`d`, SQL`e`)}`
      : SQL``;
    const rows = await this.#ask(
      SQL`select d.${kindName} as kind, ${[...texts, ...(this.#hasKey ? differing : [])]} from ${this.#differences} d ${joins}
        order by case d.${kindName} when 'missing' then 0 when 'altered' then 1 when 'doubled' then 2 else 3 end, ${keyTexts} limit ${most}`,
    );
    const keyNames = this.#hasKey ? key : columns.map(({ name }) => name);
    return rows.map((row) => ({
      kind: row.kind as DifferenceKind,
      key: Object.fromEntries(keyNames.map((name, index) => [name, row[`key${index}`] ?? null])),
      ...(row.kind === "altered" && {
        columns: columns.flatMap((_, index) => row[`differs${index}`] ?? []),
      }),
    }));
  }

  async mend(): Promise<void> {
    const { place } = this.#rows;
    await this.#ask(SQL`delete from ${this.#stored} t using ${this.#differences} d
      where t.${place} = d.${placeName} and d.${kindName} in ('doubled', 'foreign')`);
    if (!this.#hasKey) {
      await this.#ask(SQL`insert into ${this.#stored} (${this.#columns})
        select ${this.#columns} from ${this.#differences} where ${kindName} = 'missing'`);
      return;
    }
    const others = this.#columns.filter((name) => !this.#key.includes(name));
    const wanted = this.#wanted;
    if (others.length > 0)
      await this.#ask(SQL`update ${this.#stored} t set ${others.map((name) => SQL`${name} = e.${name}`)}
        from ${wanted} e join ${this.#differences} d on d.${kindName} = 'altered' and ${this.#sameKey(SQL`d`, SQL`e`)}
        where t.${place} = d.${placeName}`);
    await this.#ask(SQL`insert into ${this.#stored} (${this.#columns}) select ${of(SQL`e`, this.#columns)} from ${wanted} e
      join ${this.#differences} d on d.${kindName} = 'missing' and ${this.#sameKey(SQL`d`, SQL`e`)}`);
  }
}

function of(alias: SqlFragment, names: readonly SqlFragment[]): readonly SqlFragment[] {
  return names.map((name) => SQL`${alias}.${name}`);
}

function and(conditions: readonly SqlFragment[]): SqlFragment {
  return joinFragments(conditions, SQL` and `);
}
