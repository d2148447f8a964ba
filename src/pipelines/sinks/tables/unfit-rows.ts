import type { Changes } from "../../changes/net-changes.js";
import { sliceChanges } from "../../changes/pick-changes.js";
import type { RefusedRow } from "../sink.js";

/** How many rows to name at once. The caller that parks them asks again for more. */
const most = 1_000;

/**
 * Finds the rows that do not fit by bisection.
 * @param count number of rows
 * @param fits whether a range of rows can be written after the rows found to fit; if not, it must leave
 * nothing behind
 * @returns the indexes of at most 1,000 rows; empty if all rows fit
 */
export async function unfitRows(
  count: number,
  fits: (start: number, end: number) => Promise<boolean>,
): Promise<readonly number[]> {
  const found: number[] = [];
  const search = async (start: number, end: number): Promise<void> => {
    if (start === end || found.length === most || (await fits(start, end))) return;
    if (end - start === 1) {
      found.push(start);
      return;
    }
    const middle = (start + end) >> 1;
    await search(start, middle);
    await search(middle, end);
  };
  await search(0, count);
  return found;
}

/**
 * Finds the changes that cannot be written by bisection.
 * @param failureOf writes some changes after the earlier ones that fit; on failure it must leave nothing behind and
 * return the error
 * @param columnOf the column that a change does not fit into, if that can be known
 */
export async function refusedChanges<Failure extends Error>(
  changes: Changes,
  failureOf: (some: Changes) => Promise<Failure | undefined>,
  columnOf: (change: Changes, failure: Failure) => Promise<string | undefined> = async () => undefined,
): Promise<readonly RefusedRow[]> {
  const refused: RefusedRow[] = [];
  await unfitRows(changes.rows.count, async (start, end) => {
    const some = sliceChanges(changes, start, end);
    const failure = await failureOf(some);
    if (failure && end - start === 1)
      refused.push({ row: start, why: failure.message, column: await columnOf(some, failure) });
    return !failure;
  });
  return refused;
}

/** Does some work in a transaction that is rolled back. @param transaction runs work in a transaction */
export async function undone<Session, Result>(
  transaction: (work: (session: Session) => Promise<never>) => Promise<never>,
  work: (session: Session) => Promise<Result>,
): Promise<Result> {
  const done: { result?: Result } = {};
  const rollback = new Error("nothing is kept");
  try {
    return await transaction(async (session) => {
      done.result = await work(session);
      throw rollback;
    });
  } catch (error) {
    if (error === rollback) return done.result as Result;
    throw error;
  }
}
