import { FairTurns } from "../../../base/turns/fair-turns.js";
import type { HostedStorage } from "../../../hosting/engine.js";
import type { Database, Sql } from "../../../store/database/database.js";
import {
  browseEntities,
  type EntityPage,
  type EntitySelection,
} from "../../../store/tables/browse-entities.js";
import type { EntityTable } from "../../../store/tables/layout.js";
import type { RowFilter } from "../../../store/tables/row-filter.js";
import { isTooLate, secondsOf, timedRead } from "../../timed-read.js";
import type { BrowseState } from "./browse-state.js";
import { readFilters, storedValue } from "./filters.js";

/** The rows of a page, or why there are none. */
export interface ReadRows {
  readonly page: EntityPage;
  /** The block of this state. Absent before the first block. */
  readonly block?: number;
  /** Sentences for people; there are no rows then. */
  readonly mistakes: readonly string[];
}

const none: EntityPage = { rows: [], hasBefore: false, hasAfter: false };

/** The page that needs rows. */
export interface RowsReader {
  readonly project: string;
  /** Aborted when the client leaves. */
  readonly gone: AbortSignal;
}

/**
 * Reads rows of a table. Mistakes in the state, and a timeout of the database, are reported in words. @throws the
 * errors of `inTime`
 */
export async function readRows(
  reader: RowsReader,
  storage: HostedStorage,
  table: EntityTable,
  state: BrowseState,
  length: Pick<EntitySelection, "longest" | "items">,
): Promise<ReadRows> {
  const block = storage.deployment.head?.number;
  if (block === undefined) return { page: none, mistakes: [] };
  const { filters, mistakes } = readFilters(state, table, storage.layout);
  const { order } = state;
  const column = order && table.columns.find(({ field }) => field === order.field);
  const wrongOrder = order && (!column || column.list) ? [`Rows cannot be sorted by ${order.field}.`] : [];
  const all = [...mistakes, ...wrongOrder];
  if (all.length > 0) return { page: none, block, mistakes: all };
  const read = (sql: Sql, more: readonly RowFilter[]): Promise<EntityPage> =>
    browseEntities(sql, storage.layout, table, {
      deployment: storage.isForeign ? undefined : storage.deployment.id,
      block,
      filters: [...filters, ...more],
      order: order && column && { column, isDescending: order.isDescending },
      from: state.from,
      limit: state.size,
      ...length,
    });
  try {
    const page = await inTime(reader, storage, async (sql) => {
      for (const more of searches(state.search, table, storage)) {
        const found = await read(sql, more);
        if (found.rows.length > 0) return found;
      }
      return none;
    });
    return { page, block, mistakes: [] };
  } catch (error) {
    if (!isTooLate(error)) throw error;
    const advice = order ? "Remove the sort order, or filter" : "Filter";
    const why = `Reading these rows takes more than ${secondsOf(storage.database)} s. ${advice} by a field that few rows match.`;
    return { page: none, block, mistakes: [why] };
  }
}

const tooMany = "Too many pages are reading rows. Try again in a moment.";

/** The turns of pages on one database, so that they leave connections to everything else. */
const turns = new WeakMap<Database, FairTurns>();

/**
 * Runs reads as of one moment, each within the time for a page. Only a few run at once, and projects take turns.
 * @throws TooMuchWaitingError; DatabaseError, which `isTooLate` recognizes; the reason of `gone`
 */
export function inTime<Result>(
  { project, gone }: RowsReader,
  { database }: HostedStorage,
  work: (sql: Sql) => Promise<Result>,
): Promise<Result> {
  const own =
    turns.get(database) ?? new FairTurns({ atOnce: 4, atOnceOfOne: 2, waitingOfOne: 20, refusal: tooMany });
  turns.set(database, own);
  return own.run(project, () => timedRead(database, work, gone), gone);
}

/** The searches to run, one by one: for the id itself, which has an index, then for ids that start with it. */
function searches(
  search: string,
  table: EntityTable,
  { layout }: HostedStorage,
): readonly (readonly RowFilter[])[] {
  if (search === "") return [[]];
  const column = table.columns.find(({ field }) => field === "id");
  if (!column) return [];
  const whole = storedValue(column, search, layout);
  // Half a byte is not part of a search.
  const begun =
    column.scalar === "Bytes" ? storedValue(column, search.slice(0, evenLength(search)), layout) : whole;
  return [
    ...(whole === undefined ? [] : [[{ column, by: "is", value: whole } as const]]),
    ...(begun === undefined || column.scalar === "Int8"
      ? []
      : [[{ column, by: "starts", value: begun } as const]]),
  ];
}

function evenLength({ length }: string): number {
  return length - (length % 2);
}
