import type { Row } from "../../store/database/database.js";
import type { RowChange } from "../../store/tables/feed.js";
import type { EntityTable } from "../../store/tables/layout.js";
import { type EventContent, entityKey, eventId, type WebhookEvent } from "./event.js";
import { shownRow } from "./shown-row.js";

/** The webhook and table for which events are created. */
export interface EventSource {
  /** The webhook's id. */
  readonly webhook: string;
  /** The IPFS hash of the build. */
  readonly build: string;
  readonly table: EntityTable;
}

/** The part of an event that follows from its change. */
type RowEvent = Pick<WebhookEvent, "op" | "old" | "new">;

/** Turns a change of an entity into the events that receivers get: one for each row of its table that changed. */
export function changeEvents(source: EventSource, change: RowChange): readonly WebhookEvent[] {
  const { cursor, block } = change;
  const key = entityKey((change.new ?? change.old)?.id);
  const { origin = `place ${cursor}` } = change;
  return rowEvents(source.table, change).map((event) => ({
    ...named(source, { ...event, block, origin }),
    entityKey: key,
  }));
}

/**
 * The event for a row that existed when a webhook started.
 * @param origin the origin of the snapshot that contains the row
 * @param from the block in which the row began
 */
export function startEvent(source: EventSource, origin: string, row: Row, from: number): WebhookEvent {
  const event = { ...inserted(source.table, row, from), block: from, origin: `start ${origin}` };
  return { ...named(source, event), entityKey: entityKey(row.id) };
}

/** The event with its id. */
function named(
  { webhook, build, table }: EventSource,
  { origin, ...event }: RowEvent & Pick<EventContent, "block" | "origin">,
): Omit<WebhookEvent, "entityKey"> {
  return { ...event, id: eventId({ webhook, build, entity: table.name, origin, ...event }) };
}

/**
 * A row that ends is an update that closes its range. For a reorganisation, a reverted row is a deletion, and the row
 * that it had ended is an update that reopens its range. Of two events, the first is the one after which a receiver that
 * keeps the row with the highest vid is already correct.
 */
function rowEvents(table: EntityTable, { op, block, old, new: fresh }: RowChange): readonly RowEvent[] {
  if (old && fresh) {
    return vidOf(fresh) > vidOf(old)
      ? [inserted(table, fresh, block), closed(table, old, block)]
      : [deleted(table, old, block), reopened(table, fresh, block)];
  }
  if (op === "i" && fresh) {
    return [beginsIn(table, fresh, block) ? inserted(table, fresh, block) : reopened(table, fresh, block)];
  }
  if (!old)
    throw new Error(
      `the log contains a change of ${table.name} in block ${block} with neither an old nor a new row`,
    );
  return [beginsIn(table, old, block) ? deleted(table, old, block) : closed(table, old, block)];
}

function inserted(table: EntityTable, row: Row, from: number): RowEvent {
  return { op: "INSERT", old: null, new: shownRow(table, row, { from }) };
}

function deleted(table: EntityTable, row: Row, from: number): RowEvent {
  return { op: "DELETE", old: shownRow(table, row, { from }), new: null };
}

function closed(table: EntityTable, row: Row, to: number): RowEvent {
  const from = beginning(row);
  return { op: "UPDATE", old: shownRow(table, row, { from }), new: shownRow(table, row, { from, to }) };
}

function reopened(table: EntityTable, row: Row, to: number): RowEvent {
  const from = beginning(row);
  return { op: "UPDATE", old: shownRow(table, row, { from, to }), new: shownRow(table, row, { from }) };
}

/** Whether a row begins in a block. Immutable rows are only inserted and deleted, in their own block. */
function beginsIn(table: EntityTable, row: Row, block: number): boolean {
  return table.immutable || beginning(row) === block;
}

/** The block in which a row began: the upper half of its vid. */
function beginning(row: Row): number {
  return Number(vidOf(row) >> 32n);
}

function vidOf({ vid }: Row): bigint {
  return BigInt(vid ?? 0);
}
