import { createHash } from "node:crypto";
import type { RowValues } from "./shown-row.js";

/** A webhook's report about one row. */
export interface WebhookEvent {
  /** A UUID; creating the event again yields the same one. */
  readonly id: string;
  readonly op: "INSERT" | "UPDATE" | "DELETE";
  readonly block: number;
  /** A hash of the entity's id. */
  readonly entityKey: bigint;
  readonly old: RowValues | null;
  readonly new: RowValues | null;
}

/** The content of an event, without its id. */
export interface EventContent extends Pick<WebhookEvent, "op" | "block" | "old" | "new"> {
  readonly webhook: string;
  /** The IPFS hash of the build. */
  readonly build: string;
  readonly entity: string;
  /** The origin of the change: its block, and the reversals before it. */
  readonly origin: string;
}

/**
 * The id of an event, computed from its whole content. A position in a feed would not be unique: after a restore from
 * a backup, other changes get the same positions. The origin distinguishes equal changes of a block that was reverted
 * and added again.
 */
export function eventId({
  webhook,
  build,
  entity,
  origin,
  op,
  block,
  old,
  new: fresh,
}: EventContent): string {
  const hash = createHash("sha256")
    .update("graphloom webhook event\n")
    .update(JSON.stringify([webhook, build, entity, origin, op, block, old, fresh]))
    .digest();
  const bytes = hash.subarray(0, 16);
  // Version 8 of RFC 9562: a UUID with custom bits.
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

/** A number that groups the events of one entity. A collision between two entities does no harm. */
export function entityKey(id: string | null | undefined): bigint {
  return createHash("sha256")
    .update(id ?? "")
    .digest()
    .readBigInt64BE();
}
