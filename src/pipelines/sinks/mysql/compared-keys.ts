import { joinFragments, SQL, type SqlFragment } from "../../../store/database/database.js";
import { type DifferenceKind, differenceCounts, type RowDifference, type RowDifferences } from "../audit.js";
import type { MysqlDatabase, MysqlRow } from "../mysql-database.js";
import type { Comparison } from "../tables/table-dialect.js";
import { and, type ComparedTables, sameValue } from "./comparison.js";
import { quoteMysqlName, quoteMysqlText } from "./mysql-text.js";

/** The columns that are compared, and the key that identifies a row. */
export interface KeyedColumns {
  readonly columns: readonly string[];
  readonly key: readonly string[];
  /** Whether the table has at most one row for each key. */
  readonly isUnique: boolean;
  /** How many rows to report one by one, at most. */
  readonly most: number;
}

/** Extra columns of the differences, with names that no user's column has. */
const kind = quoteMysqlName("graphloom$kind");
const surplus = quoteMysqlName("graphloom$surplus");

/** Rows to delete before looking at the differences again. */
const page = 1_000;

/** Compares rows by their key. A row that two sources produce may match either of them. */
export class ComparedKeys implements Pick<Comparison, "compare" | "found" | "mend"> {
  readonly #database: MysqlDatabase;
  readonly #tables: ComparedTables;
  readonly #given: KeyedColumns;
  readonly #key: readonly SqlFragment[];
  readonly #columns: readonly SqlFragment[];

  constructor(database: MysqlDatabase, tables: ComparedTables, given: KeyedColumns) {
    this.#database = database;
    this.#tables = tables;
    this.#given = given;
    this.#key = given.key.map(quoteMysqlName);
    this.#columns = given.columns.map(quoteMysqlName);
  }

  async compare(isWhole: boolean): Promise<void> {
    const { stored, expected, differences } = this.#tables;
    const own = this.#of(SQL`t`, this.#key);
    await this.#database.run(
      SQL`create temporary table ${differences} (primary key (${this.#key})) engine = InnoDB row_format = dynamic
        as select cast('' as char(10)) as ${kind}, cast(0 as signed) as ${surplus}, ${this.#key} from ${stored} limit 0`,
    );
    for (const table of expected)
      await this.#add(
        "missing",
        SQL`0, ${this.#of(SQL`e`, this.#key)} from ${table} e left join ${stored} t on ${this.#sameKey(SQL`e`)} where ${own[0] ?? SQL``} is null`,
      );
    const joins = expected.map(
      (table, index) => SQL`left join ${table} ${alias(index)} on ${this.#sameKey(alias(index))}`,
    );
    const from = SQL`from ${stored} t ${joinFragments(joins, SQL` `)}`;
    const isExpected = SQL`(${joinFragments(
      expected.map((_, index) => SQL`${alias(index)}.${this.#key[0] ?? SQL``} is not null`),
      SQL` or `,
    )})`;
    const isSame = SQL`(${joinFragments(
      expected.map((_, index) => SQL`(${this.#sameRow(alias(index))})`),
      SQL` or `,
    )})`;
    await this.#add("altered", SQL`0, ${own} ${from} where ${isExpected} and not ${isSame}`);
    if (!this.#given.isUnique)
      await this.#add(
        "doubled",
        SQL`count(*) - 1, ${own} ${from} where ${isExpected} group by ${own} having count(*) > 1`,
      );
    if (isWhole) await this.#add("foreign", SQL`0, ${own} ${from} where not ${isExpected}`);
  }

  /** @param rest the rest of the query, starting with the surplus column */
  async #add(what: DifferenceKind, rest: SqlFragment): Promise<void> {
    await this.#database.run(
      SQL`insert into ${this.#tables.differences} (${kind}, ${surplus}, ${this.#key}) select ${quoteMysqlText(what)}, ${rest}
        on duplicate key update ${kind} = values(${kind}), ${surplus} = values(${surplus})`,
    );
  }

  async found(): Promise<RowDifferences> {
    const { rows } = await this.#database.run(
      SQL`select ${kind} as kind, sum(greatest(${surplus}, 1)) as held from ${this.#tables.differences} group by 1`,
    );
    const counts = differenceCounts(rows.map((row) => [row.kind as DifferenceKind, Number(row.held)]));
    return { counts, first: await this.#first(), notes: [], strays: [] };
  }

  /** Includes the columns that differ. If several sources have the row, the first one counts. */
  async #first(): Promise<readonly RowDifference[]> {
    const { stored, expected, differences } = this.#tables;
    const { columns, key, most } = this.#given;
    const joins = expected.map(
      (table, index) =>
        SQL`left join ${table} ${alias(index)} on ${and(this.#key.map((name) => SQL`d.${name} = ${alias(index)}.${name}`))}`,
    );
    const wanted = (name: SqlFragment): SqlFragment =>
      expected.reduceRight(
        (others: SqlFragment, _, index) =>
          SQL`if(${alias(index)}.${this.#key[0] ?? SQL``} is not null, ${alias(index)}.${name}, ${others})`,
        SQL`null`,
      );
    const differing = this.#columns.map(
      (name, index) =>
        SQL`${kind} = 'altered' and not (${sameValue(SQL`t.${name}`, wanted(name))}) as ${quoteMysqlName(`differs${index}`)}`,
    );
    const texts = this.#key.map((name, index) => SQL`d.${name} as ${quoteMysqlName(`key${index}`)}`);
    const { rows } = await this.#database.run(
      SQL`select ${kind} as kind, ${texts}, ${differing} from ${differences} d
        left join ${stored} t on ${kind} = 'altered' and ${and(this.#key.map((name) => SQL`t.${name} = d.${name}`))}
        ${joinFragments(joins, SQL` `)}
        order by field(${kind}, 'missing', 'altered', 'doubled', 'foreign'), ${this.#of(SQL`d`, this.#key)} limit ${most}`,
    );
    return rows.map((row) => ({
      kind: row.kind as DifferenceKind,
      key: Object.fromEntries(key.map((name, index) => [name, row[`key${index}`] ?? null])),
      ...(row.kind === "altered" && {
        columns: columns.filter((_, index) => row[`differs${index}`] === "1"),
      }),
    }));
  }

  async mend(): Promise<void> {
    const { stored, expected, differences } = this.#tables;
    const ofDifference = and(this.#key.map((name) => SQL`t.${name} = d.${name}`));
    await this.#database.run(
      SQL`delete t from ${stored} t join ${differences} d on ${ofDifference} where ${kind} = 'foreign'`,
    );
    await this.#deleteSurplus();
    const others = this.#columns.filter((name) => !this.#key.includes(name));
    for (const table of expected) {
      if (others.length > 0)
        await this.#database.run(
          SQL`update ${stored} t join ${differences} d on ${ofDifference} join ${table} e on ${this.#sameKey(SQL`e`)}
            set ${others.map((name) => SQL`t.${name} = e.${name}`)} where ${kind} in ('altered', 'doubled')`,
        );
      // Another source may already have produced the row.
      await this.#database.run(
        SQL`insert into ${stored} (${this.#columns}) select ${this.#of(SQL`e`, this.#columns)}
          from ${table} e join ${differences} d on ${and(this.#key.map((name) => SQL`e.${name} = d.${name}`))}
          left join ${stored} t on ${this.#sameKey(SQL`e`)} where ${kind} = 'missing' and t.${this.#key[0] ?? SQL``} is null`,
      );
    }
  }

  async #deleteSurplus(): Promise<void> {
    if (this.#given.isUnique) return;
    for (let start = 0; ; start += page) {
      const { rows } = await this.#database.run(
        SQL`select ${surplus} as surplus, ${this.#key} from ${this.#tables.differences} where ${kind} = 'doubled' order by ${this.#key} limit ${page} offset ${start}`,
      );
      for (const row of rows)
        await this.#database.run(
          SQL`delete from ${this.#tables.stored} where ${this.#hasKeyOf(row)} limit ${Number(row.surplus)}`,
        );
      if (rows.length < page) return;
    }
  }

  #hasKeyOf(row: MysqlRow): SqlFragment {
    return and(
      this.#given.key.map((name) => SQL`${quoteMysqlName(name)} = ${quoteMysqlText(row[name] ?? "")}`),
    );
  }

  #of(alias: SqlFragment, names: readonly SqlFragment[]): readonly SqlFragment[] {
    return names.map((name) => SQL`${alias}.${name}`);
  }

  #sameKey(other: SqlFragment): SqlFragment {
    return and(this.#key.map((name) => SQL`t.${name} = ${other}.${name}`));
  }

  /** If a source lacks the row, its key is null. */
  #sameRow(other: SqlFragment): SqlFragment {
    return and(this.#columns.map((name) => sameValue(SQL`t.${name}`, SQL`${other}.${name}`)));
  }
}

function alias(index: number): SqlFragment {
  return quoteMysqlName(`e${index}`);
}
