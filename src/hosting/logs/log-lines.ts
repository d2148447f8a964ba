import { columns, computed, integer, oneOf, text } from "../../store/database/columns.js";
import { SQL, type Sql } from "../../store/database/database.js";
import { keptText } from "../../store/database/kept-text.js";
import { arrayText, plainArrayText } from "../../store/database/sql-array.js";
import { type HostedLine, type HostedLines, type HostedLinesQuery, hostedLevels } from "../engine.js";

/** A line of some deployment's log. */
export interface DeploymentLine extends HostedLine {
  readonly deployment: string;
}

const mostLines = 1_000;
const lineRow = columns({ timestamp: computed(SQL`at`, integer), level: oneOf(hostedLevels), text });

/** Adds lines, in their order. @throws DatabaseError */
export async function writeLines(sql: Sql, lines: readonly DeploymentLine[]): Promise<void> {
  if (lines.length === 0) return;
  await sql.query(
    SQL`insert into graphloom.log_lines (deployment, at, level, text)
      select deployment, at, level, text from unnest($1::text[], $2::bigint[], $3::text[], $4::text[])
        with ordinality as l(deployment, at, level, text, n) order by n`,
    [
      arrayText(lines.map(({ deployment }) => deployment)),
      plainArrayText(lines.map(({ timestamp }) => Math.round(timestamp))),
      arrayText(lines.map(({ level }) => level)),
      arrayText(lines.map(({ text }) => keptText(text))),
    ],
  );
}

/**
 * Deletes all but the last lines of a deployment. Errors are counted separately, so that a flood of other lines does
 * not push them out.
 * @param kept the limits for errors and for other lines
 * @throws DatabaseError
 */
export async function trimLines(sql: Sql, deployment: string, kept: number): Promise<void> {
  for (const pot of [SQL`level = 'error'`, SQL`level <> 'error'`]) {
    await sql.query(
      SQL`delete from graphloom.log_lines where deployment = $1::text and ${pot} and seq <= (
        select seq from graphloom.log_lines where deployment = $1::text and ${pot}
          order by seq desc offset $2::integer limit 1)`,
      [deployment, String(kept)],
    );
  }
}

/** Reads lines of a deployment. @throws DatabaseError */
export async function readLines(
  sql: Sql,
  deployment: string,
  { cursor, after, direction, search, levels, limit }: HostedLinesQuery,
): Promise<HostedLines> {
  const most = Math.max(1, Math.min(limit, mostLines));
  const [beyond, order] =
    direction === "asc" ? ([SQL`>`, SQL`asc`] as const) : ([SQL`<`, SQL`desc`] as const);
  const rows = await sql.query(
    SQL`select seq, ${lineRow.list} from graphloom.log_lines where deployment = $1::text
        and ($2::bigint is null or seq ${beyond} $2::bigint) and ($3::bigint is null or at >= $3::bigint)
        and ($4::text is null or position(lower($4::text) in lower(text)) > 0)
        and ($5::text[] is null or level = any($5::text[]))
      order by seq ${order} limit $6::integer`,
    [
      deployment,
      cursor === undefined ? null : String(Math.trunc(cursor)),
      after === undefined ? null : String(Math.trunc(after)),
      search === undefined || search === "" ? null : keptText(search),
      levels ? arrayText(levels) : null,
      String(most + 1),
    ],
  );
  const shown = rows.slice(0, most);
  const last = shown.at(-1);
  return { lines: shown.map(lineRow.read), ...(rows.length > most && last && { cursor: Number(last.seq) }) };
}
