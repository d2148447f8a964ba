import type { Row } from "../../store/database/database.js";
import type { RowChange } from "../../store/tables/feed.js";
import type { EntityTable } from "../../store/tables/layout.js";
import { entityKey, eventId, type WebhookEvent } from "./event.js";
import { shownRow } from "./shown-row.js";

/** Whose events are made. */
export interface EventSource {
  /** The webhook's id. */
  readonly webhook: string;
  /** The deployment's number. */
  readonly deployment: number;
  readonly table: EntityTable;
}

/** The part of an event that its change decides. */
type RowEvent = Pick<WebhookEvent, "op" | "old" | "new">;

/** What a change of an entity is to receivers: what happens to rows of its table, one event each. */
export function changeEvents(source: EventSource, change: RowChange): readonly WebhookEvent[] {
  const { webhook, deployment, table } = source;
  const { cursor, block } = change;
  const key = entityKey((change.new ?? change.old)?.id);
  return rowEvents(table, change).map((event, index) => ({
    ...event,
    id: eventId(webhook, deployment, `${cursor}.${index}`),
    block,
    entityKey: key,
  }));
}

/**
 * That a row was there when a webhook began.
 * @param begun the cursor of the snapshot it is in
 * @param from the block it began in
 */
export function startEvent(source: EventSource, begun: string, row: Row, from: number): WebhookEvent {
  return {
    ...inserted(source.table, row, from),
    id: eventId(source.webhook, source.deployment, `start ${begun}.${row.vid}`),
    block: from,
    entityKey: entityKey(row.id),
  };
}

/**
 * A version that ends is updated, so that its range is closed. What a reorganisation takes back is deleted, and what
 * it ended is updated, so that its range is open again. Of two events the one comes first after which receivers that
 * keep the row with the highest vid are right at once.
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

/** Rows that never end are inserted and deleted in their block. */
function beginsIn(table: EntityTable, row: Row, block: number): boolean {
  return table.immutable || beginning(row) === block;
}

/** The block in which a version began: the upper half of its vid. */
function beginning(row: Row): number {
  return Number(vidOf(row) >> 32n);
}

function vidOf({ vid }: Row): bigint {
  return BigInt(vid ?? 0);
}
