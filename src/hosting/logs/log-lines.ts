import { SQL, type Sql } from "../../store/database/database.js";
import { arrayText } from "../../store/database/sql-array.js";
import type { LogLine, LogPage, LogQuery } from "../../store/logs/log-line.js";
import { LogTable, lineArrays } from "../../store/logs/log-table.js";

/** A line of some deployment's log. */
export interface DeploymentLine extends LogLine {
  readonly deployment: string;
}

const logs = new LogTable(SQL`graphloom.log_lines`, [SQL`deployment`]);

/** Adds lines, in order. @throws DatabaseError */
export async function writeLines(sql: Sql, lines: readonly DeploymentLine[]): Promise<void> {
  if (lines.length === 0) return;
  await sql.query(
    SQL`insert into graphloom.log_lines (deployment, at, level, text)
      select deployment, at, level, text from unnest($1::text[], $2::bigint[], $3::text[], $4::text[])
        with ordinality as l(deployment, at, level, text, n) order by n`,
    [arrayText(lines.map(({ deployment }) => deployment)), ...lineArrays(lines)],
  );
}

/**
 * Deletes all but the last lines of a deployment.
 * @param kept the limits for errors and for other lines
 * @throws DatabaseError
 */
export function trimLines(sql: Sql, deployment: string, kept: number): Promise<void> {
  return logs.trim(sql, [deployment], kept);
}

/** Reads lines of a deployment. @throws DatabaseError */
export function readLines(sql: Sql, deployment: string, query: LogQuery): Promise<LogPage> {
  return logs.read(sql, [deployment], query);
}
