import type { Database } from "../../store/database/database.js";
import { Gate } from "../gate.js";
import { Problem } from "../problem.js";
import { isTooLate, secondsOf, timedRead } from "../timed-read.js";
import { type ActFilter, type ActPage, listActs, type NotedAct } from "./audit.js";

const limits = {
  running: 2,
  waiting: 10,
  refusal: "Too many searches of the audit log are running. Try again in a moment.",
};
const gates = new WeakMap<Database, Gate>();

/** The person who searches. */
export interface ActReader {
  readonly project: string;
  /** Aborted when the client leaves. */
  readonly gone: AbortSignal;
}

/**
 * The actions in a project, as `listActs` lists them. A search that finds little reads the whole log, so it has a time
 * limit, and only a few of a project run at once.
 * @throws Problem `unprocessable` for a search that takes too long, `unavailable` when too many are waiting; DatabaseError; the reason
 *   of `gone`
 */
export async function readActs(
  database: Database,
  { project, gone }: ActReader,
  page: ActPage,
  filter: ActFilter = {},
): Promise<readonly NotedAct[]> {
  const gate = gates.get(database) ?? new Gate(limits);
  gates.set(database, gate);
  try {
    return await gate.run(project, () =>
      timedRead(database, (sql) => listActs(sql, project, page, filter), gone),
    );
  } catch (error) {
    if (!isTooLate(error)) throw error;
    const why = `Searching the audit log takes more than ${secondsOf(database)} s. Choose a shorter period.`;
    throw new Problem("unprocessable", why, { cause: error });
  }
}
