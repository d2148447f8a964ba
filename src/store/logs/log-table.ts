import { columns, computed, integer, oneOf, text } from "../database/columns.js";
import { joinFragments, SQL, type Sql, type SqlFragment } from "../database/database.js";
import { keptText } from "../database/kept-text.js";
import { arrayText, plainArrayText } from "../database/sql-array.js";
import { type LogLine, type LogPage, type LogQuery, logLevels } from "./log-line.js";

/** The most lines of a page. */
const mostLines = 1_000;
const lineRow = columns({ timestamp: computed(SQL`at`, integer), level: oneOf(logLevels), text });

/** Lines as the arrays of a statement, in text form: times, levels and texts. */
export function lineArrays(lines: readonly LogLine[]): readonly [string, string, string] {
  return [
    plainArrayText(lines.map(({ timestamp }) => Math.round(timestamp))),
    arrayText(lines.map(({ level }) => level)),
    arrayText(lines.map((line) => keptText(line.text))),
  ];
}

/**
 * A table of logs. Its owners write it; trimming and reading are the same for all. It has the columns `seq`, which
 * grows, `at`, `level` and `text`, besides the columns that identify the log.
 */
export class LogTable {
  readonly #table: SqlFragment;
  readonly #keys: readonly SqlFragment[];

  /**
   * @param table its name
   * @param keys the columns that identify the log; methods take their values in this order
   */
  constructor(table: SqlFragment, keys: readonly SqlFragment[]) {
    this.#table = table;
    this.#keys = keys;
  }

  /**
   * Deletes all but the last lines of a log. Errors are counted separately, so that a flood of other lines does not push
   * them out.
   * @param kept the limits for errors and for other lines
   * @throws DatabaseError
   */
  async trim(sql: Sql, owner: readonly string[], kept: number): Promise<void> {
    const isOwn = this.#isOwn(2);
    for (const pot of [SQL`level = 'error'`, SQL`level <> 'error'`]) {
      await sql.query(
        SQL`delete from ${this.#table} where ${isOwn} and ${pot} and seq <= (
          select seq from ${this.#table} where ${isOwn} and ${pot} order by seq desc offset $1::integer limit 1)`,
        [String(kept), ...owner],
      );
    }
  }

  /** Reads lines of a log. @throws DatabaseError */
  async read(
    sql: Sql,
    owner: readonly string[],
    { cursor, after, direction, search, levels, limit }: LogQuery,
  ): Promise<LogPage> {
    const most = Math.max(1, Math.min(limit, mostLines));
    const [beyond, order] =
      direction === "asc" ? ([SQL`>`, SQL`asc`] as const) : ([SQL`<`, SQL`desc`] as const);
    const rows = await sql.query(
      SQL`select seq, ${lineRow.list} from ${this.#table} where ${this.#isOwn(6)}
          and ($1::bigint is null or seq ${beyond} $1::bigint) and ($2::bigint is null or at >= $2::bigint)
          and ($3::text is null or position(lower($3::text) in lower(text)) > 0)
          and ($4::text[] is null or level = any($4::text[]))
        order by seq ${order} limit $5::integer`,
      [
        cursor === undefined ? null : String(Math.trunc(cursor)),
        after === undefined ? null : String(Math.trunc(after)),
        search === undefined || search === "" ? null : keptText(search),
        levels ? arrayText(levels) : null,
        String(most + 1),
        ...owner,
      ],
    );
    const shown = rows.slice(0, most);
    const last = shown.at(-1);
    return {
      lines: shown.map(lineRow.read),
      ...(rows.length > most && last && { cursor: Number(last.seq) }),
    };
  }

  /** How many errors a log has since a time. @param since milliseconds since 1970 @throws DatabaseError */
  async countErrors(sql: Sql, owner: readonly string[], since: number): Promise<number> {
    const [row] = await sql.query(
      SQL`select count(*) as errors from ${this.#table}
        where ${this.#isOwn(2)} and level = 'error' and at >= $1::bigint`,
      [String(Math.trunc(since)), ...owner],
    );
    return Number(row?.errors ?? 0);
  }

  /** The condition for lines of an owner. @param first the number of its first parameter */
  #isOwn(first: number): SqlFragment {
    return joinFragments(
      this.#keys.map((key, index) => SQL`${key} = $${first + index}::text`),
      SQL` and `,
    );
  }
}
