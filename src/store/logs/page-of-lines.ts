import type { LogLine, LogPage, LogQuery } from "./log-line.js";

/** A line in memory, with a number that grows from line to line. */
export interface NumberedLine extends LogLine {
  readonly number: number;
}

/** A page of lines in memory, selected as those in a database are. @param lines in order */
export function pageOfLines(
  lines: readonly NumberedLine[],
  { cursor, after, direction, search = "", levels, limit }: LogQuery,
): LogPage {
  const wanted = search.toLowerCase();
  const fitting = lines.filter(
    ({ text, timestamp, level, number }) =>
      (after === undefined || timestamp >= after) &&
      (levels?.includes(level) ?? true) &&
      text.toLowerCase().includes(wanted) &&
      (cursor === undefined || (direction === "asc" ? number > cursor : number < cursor)),
  );
  const page = (direction === "asc" ? fitting : fitting.toReversed()).slice(0, limit);
  const last = page.at(-1)?.number;
  return {
    lines: page.map(({ number: _, ...line }) => line),
    ...(last !== undefined && page.length < fitting.length && { cursor: last }),
  };
}
