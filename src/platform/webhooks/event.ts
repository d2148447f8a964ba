import { createHash } from "node:crypto";
import type { RowValues } from "./shown-row.js";

/** What a webhook tells of one row. */
export interface WebhookEvent {
  /** A UUID, the same whenever the event is made again. */
  readonly id: string;
  readonly op: "INSERT" | "UPDATE" | "DELETE";
  readonly block: number;
  /** A hash of the entity's id. */
  readonly entityKey: bigint;
  readonly old: RowValues | null;
  readonly new: RowValues | null;
}

/** Names an event: its webhook, the deployment's number, and what tells it from the others of those. */
export function eventId(webhook: string, deployment: number, place: string): string {
  const hash = createHash("sha256")
    .update(`graphloom webhook event\n${webhook}\n${deployment}\n${place}`)
    .digest();
  const bytes = hash.subarray(0, 16);
  // A UUID whose bits are its maker's own business: version 8 of RFC 9562.
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

/** A number by which the events of one entity find each other. That two entities share one does no harm. */
export function entityKey(id: string | null | undefined): bigint {
  return createHash("sha256")
    .update(id ?? "")
    .digest()
    .readBigInt64BE();
}
