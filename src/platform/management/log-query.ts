import { type LogLevel, type LogQuery, logLevels } from "../../store/logs/log-line.js";
import { Problem } from "../problem.js";

/** Log lines per page. */
const logPageSize = 100;

/** The parameters of a log's route, except for its name of the levels. */
export interface LogParameters {
  readonly cursor?: number | undefined;
  readonly after?: number | undefined;
  readonly direction?: string | undefined;
  readonly search?: string | undefined;
  readonly levels: readonly LogLevel[] | undefined;
}

/** The lines that a route's parameters select. @throws Problem `bad-request` for a number out of range */
export function logQueryOf({ cursor, after, direction, search, levels }: LogParameters): LogQuery {
  return {
    direction: direction === "asc" ? "asc" : "desc",
    limit: logPageSize,
    ...(cursor !== undefined && { cursor: whole("cursor", cursor) }),
    ...(after !== undefined && { after: whole("after", after) }),
    ...(search !== undefined && search !== "" && { search }),
    ...(levels && { levels }),
  };
}

/** The levels in a list, separated by commas; `undefined` for an empty one. @throws Problem `bad-request` */
export function levelsIn(field: string, list: string | undefined): readonly LogLevel[] | undefined {
  return list === undefined || list === "" ? undefined : list.split(",").map((word) => levelOf(field, word));
}

/** A level by its name. @throws Problem `bad-request` */
export function levelOf(field: string, word: string): LogLevel {
  const found = logLevels.find((level) => level === word.trim().toLowerCase());
  if (found) return found;
  throw wrong(field, `must be one of ${logLevels.join(", ")}`);
}

function whole(field: string, value: number): number {
  const found = Math.floor(value);
  if (Number.isSafeInteger(found) && found >= 0) return found;
  throw wrong(field, "must be a whole number that is not negative");
}

function wrong(field: string, message: string): Problem {
  return new Problem("bad-request", `The query has invalid fields: ${field}.`, {
    errors: [{ field, message }],
  });
}
