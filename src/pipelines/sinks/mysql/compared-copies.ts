import { joinFragments, SQL, type SqlFragment } from "../../../store/database/database.js";
import { type DifferenceKind, differenceCounts, type RowDifference, type RowDifferences } from "../audit.js";
import type { MysqlDatabase, MysqlRow } from "../mysql-database.js";
import type { Comparison } from "../tables/table-dialect.js";
import type { ComparedTables } from "./comparison.js";
import { quoteMysqlName, quoteMysqlText } from "./mysql-text.js";

/** Rows to delete before looking at the differences again. */
const page = 1_000;

/** Compares rows without a key by counting equal ones. */
export class ComparedCopies implements Pick<Comparison, "compare" | "found" | "mend"> {
  readonly #database: MysqlDatabase;
  readonly #tables: ComparedTables;
  readonly #names: readonly string[];
  readonly #columns: readonly SqlFragment[];
  readonly #most: number;

  constructor(database: MysqlDatabase, tables: ComparedTables, names: readonly string[], most: number) {
    this.#database = database;
    this.#tables = tables;
    this.#names = names;
    this.#columns = names.map(quoteMysqlName);
    this.#most = most;
  }

  async compare(isWhole: boolean): Promise<void> {
    const { stored, expected, differences } = this.#tables;
    await this.#database.run(
      SQL`create temporary table ${differences} (identity binary(32) primary key, wanted bigint not null, held bigint not null) engine = InnoDB`,
    );
    const parts = [
      ...expected.map(
        (table) => SQL`select ${this.#identity} as identity, 1 as wanted, 0 as held from ${table}`,
      ),
      SQL`select ${this.#identity}, 0, 1 from ${stored}`,
    ];
    // The surplus row may equal one of another range.
    const isWrong = isWhole ? SQL`sum(wanted) <> sum(held)` : SQL`sum(wanted) > sum(held)`;
    await this.#database.run(
      SQL`insert into ${differences} (identity, wanted, held) select identity, sum(wanted), sum(held)
        from (${joinFragments(parts, SQL` union all `)}) x group by identity having ${isWrong}`,
    );
  }

  async found(): Promise<RowDifferences> {
    const { rows } = await this.#database.run(
      SQL`select sum(greatest(wanted - held, 0)) as missing, sum(if(wanted > 0, greatest(held - wanted, 0), 0)) as doubled,
          sum(if(wanted > 0, 0, held)) as strange from ${this.#tables.differences}`,
    );
    const [found] = rows;
    const counts = differenceCounts([
      ["missing", Number(found?.missing ?? 0)],
      ["doubled", Number(found?.doubled ?? 0)],
      ["foreign", Number(found?.strange ?? 0)],
    ]);
    return { counts, first: await this.#first(), notes: [], strays: [] };
  }

  /** Returns each row as often as copies are missing or too many. */
  async #first(): Promise<readonly RowDifference[]> {
    const { stored } = this.#tables;
    const lacking = await this.#differing(this.#all, SQL`wanted > held`);
    const surplus = await this.#differing(stored, SQL`held > wanted`);
    const told = [...lacking, ...surplus].flatMap((row) => {
      const copies = Math.abs(Number(row.wanted) - Number(row.held));
      return Array.from({ length: Math.min(copies, this.#most) }, () => this.#differenceOf(row));
    });
    return told.slice(0, this.#most);
  }

  #differenceOf(row: MysqlRow): RowDifference {
    const kind: DifferenceKind =
      Number(row.wanted) > Number(row.held) ? "missing" : row.wanted === "0" ? "foreign" : "doubled";
    const key = Object.fromEntries(this.#names.map((name, index) => [name, row[`column${index}`] ?? null]));
    return { kind, key };
  }

  /** Distinct rows that differ. */
  async #differing(from: SqlFragment, which: SqlFragment): Promise<readonly MysqlRow[]> {
    const values = this.#columns.map(
      (name, index) => SQL`max(cast(r.${name} as char)) as ${quoteMysqlName(`column${index}`)}`,
    );
    const { rows } = await this.#database.run(
      SQL`select d.wanted, d.held, ${values}
        from (select ${this.#columns}, ${this.#identity} as identity from ${from} s) r join ${this.#tables.differences} d on d.identity = r.identity
        where ${which} group by d.identity, d.wanted, d.held order by d.wanted = 0, d.identity limit ${this.#most}`,
    );
    return rows;
  }

  async mend(): Promise<void> {
    const { stored, differences } = this.#tables;
    for (let last = ""; ; ) {
      const { rows } = await this.#database.run(
        SQL`select hex(identity) as identity, held - wanted as surplus from ${differences} d where held > wanted and d.identity > unhex(${quoteMysqlText(last)}) order by d.identity limit ${page}`,
      );
      for (const { identity, surplus } of rows)
        await this.#database.run(
          SQL`delete from ${stored} where ${this.#identity} = unhex(${quoteMysqlText(identity ?? "")}) limit ${Number(surplus)}`,
        );
      if (rows.length < page) break;
      last = rows.at(-1)?.identity ?? "";
    }
    await this.#database.run(
      SQL`insert into ${stored} (${this.#columns}) select ${this.#columns.map((name) => SQL`r.${name}`)}
        from (select ${this.#columns}, ${this.#identity} as identity, row_number() over (partition by ${this.#identity}) as number from ${this.#all} s) r
        join ${differences} d on d.identity = r.identity where d.wanted > d.held and r.number > d.held`,
    );
  }

  /** All expected rows, in one table. */
  get #all(): SqlFragment {
    const parts = this.#tables.expected.map((table) => SQL`select ${this.#columns} from ${table}`);
    return SQL`(${joinFragments(parts, SQL` union all `)})`;
  }

  /** A hash that is equal for equal rows only. */
  get #identity(): SqlFragment {
    const values = this.#columns.map((name) => SQL`ifnull(sha2(cast(${name} as binary), 256), '-')`);
    return SQL`unhex(sha2(concat(${values}), 256))`;
  }
}
