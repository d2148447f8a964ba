import type { PipelineLine } from "../../pipelines/pipeline-engine.js";
import { columns, computed, integer, oneOf, text } from "../../store/database/columns.js";
import { SQL, type Sql } from "../../store/database/database.js";
import { keptText } from "../../store/database/kept-text.js";
import { arrayText, plainArrayText } from "../../store/database/sql-array.js";
import type { PipelineName } from "./pipeline-rows.js";

/** The levels of lines. */
export const lineLevels = ["error", "warn", "info", "debug"] as const;

/** Which lines of a log to read. */
export interface LinesQuery {
  /** Continues after a page. */
  readonly cursor?: number | undefined;
  /** Milliseconds since 1970. */
  readonly after?: number | undefined;
  readonly direction: "asc" | "desc";
  readonly search?: string | undefined;
  readonly levels?: readonly string[] | undefined;
  readonly limit: number;
}

/** A page of a log. */
export interface LinesPage {
  readonly lines: readonly PipelineLine[];
  /** Where more lines follow. */
  readonly cursor?: number;
}

/** Lines of errors and other lines that are kept of each pipeline. */
const kept = 5_000;
const lineRow = columns({ timestamp: computed(SQL`at`, integer), level: oneOf(lineLevels), text });

/** Adds lines to the log of a pipeline, in their order, and drops the oldest ones. @throws DatabaseError */
export async function writePipelineLines(
  sql: Sql,
  { project, name }: PipelineName,
  lines: readonly PipelineLine[],
): Promise<void> {
  if (lines.length === 0) return;
  await sql.query(
    SQL`insert into graphloom.pipeline_lines (project, pipeline, at, level, text)
      select $1::text, $2::text, at, level, text
      from unnest($3::bigint[], $4::text[], $5::text[]) with ordinality as l (at, level, text, n)
      where exists (select from graphloom.pipelines where project = $1::text and name = $2::text) order by n`,
    [
      project,
      name,
      plainArrayText(lines.map(({ timestamp }) => Math.round(timestamp))),
      arrayText(lines.map(({ level }) => level)),
      arrayText(lines.map((line) => keptText(line.text))),
    ],
  );
  for (const pot of [SQL`level = 'error'`, SQL`level <> 'error'`]) {
    await sql.query(
      SQL`delete from graphloom.pipeline_lines where project = $1::text and pipeline = $2::text and ${pot} and seq <= (
        select seq from graphloom.pipeline_lines where project = $1::text and pipeline = $2::text and ${pot}
          order by seq desc offset $3::integer limit 1)`,
      [project, name, String(kept)],
    );
  }
}

/** Reads lines of a pipeline's log. @throws DatabaseError */
export async function readPipelineLines(
  sql: Sql,
  { project, name }: PipelineName,
  { cursor, after, direction, search, levels, limit }: LinesQuery,
): Promise<LinesPage> {
  const [beyond, order] =
    direction === "asc" ? ([SQL`>`, SQL`asc`] as const) : ([SQL`<`, SQL`desc`] as const);
  const rows = await sql.query(
    SQL`select seq, ${lineRow.list} from graphloom.pipeline_lines where project = $1::text and pipeline = $2::text
        and ($3::bigint is null or seq ${beyond} $3::bigint) and ($4::bigint is null or at >= $4::bigint)
        and ($5::text is null or position(lower($5::text) in lower(text)) > 0)
        and ($6::text[] is null or level = any($6::text[]))
      order by seq ${order} limit $7::integer`,
    [
      ...[project, name],
      cursor === undefined ? null : String(Math.trunc(cursor)),
      after === undefined ? null : String(Math.trunc(after)),
      search === undefined || search === "" ? null : keptText(search),
      levels ? arrayText([...levels]) : null,
      String(limit + 1),
    ],
  );
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return { lines: shown.map(lineRow.read), ...(rows.length > limit && last && { cursor: Number(last.seq) }) };
}

/** How many errors a pipeline's log has since a time. @param since milliseconds since 1970 @throws DatabaseError */
export async function countPipelineErrors(
  sql: Sql,
  { project, name }: PipelineName,
  since: number,
): Promise<number> {
  const [row] = await sql.query(
    SQL`select count(*) as errors from graphloom.pipeline_lines
      where project = $1::text and pipeline = $2::text and level = 'error' and at >= $3::bigint`,
    [project, name, String(Math.trunc(since))],
  );
  return Number(row?.errors ?? 0);
}
