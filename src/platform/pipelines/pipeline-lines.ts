import { SQL, type Sql } from "../../store/database/database.js";
import type { LogLine, LogPage, LogQuery } from "../../store/logs/log-line.js";
import { LogTable, lineArrays } from "../../store/logs/log-table.js";
import type { PipelineName } from "./pipeline-rows.js";

/** How many lines of errors and of other lines to keep for each pipeline. */
const kept = 5_000;
const logs = new LogTable(SQL`graphloom.pipeline_lines`, [SQL`project`, SQL`pipeline`]);

/** Adds lines to the log of a pipeline, in order, and drops the oldest ones. @throws DatabaseError */
export async function writePipelineLines(
  sql: Sql,
  { project, name }: PipelineName,
  lines: readonly LogLine[],
): Promise<void> {
  if (lines.length === 0) return;
  await sql.query(
    SQL`insert into graphloom.pipeline_lines (project, pipeline, at, level, text)
      select $1::text, $2::text, at, level, text
      from unnest($3::bigint[], $4::text[], $5::text[]) with ordinality as l (at, level, text, n)
      where exists (select from graphloom.pipelines where project = $1::text and name = $2::text) order by n`,
    [project, name, ...lineArrays(lines)],
  );
  await logs.trim(sql, [project, name], kept);
}

/** Reads lines of a pipeline's log. @throws DatabaseError */
export function readPipelineLines(
  sql: Sql,
  { project, name }: PipelineName,
  query: LogQuery,
): Promise<LogPage> {
  return logs.read(sql, [project, name], query);
}

/** How many errors a pipeline's log has since a time. @param since milliseconds since 1970 @throws DatabaseError */
export function countPipelineErrors(
  sql: Sql,
  { project, name }: PipelineName,
  since: number,
): Promise<number> {
  return logs.countErrors(sql, [project, name], since);
}
