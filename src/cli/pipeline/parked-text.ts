import { visible } from "../../base/visible.js";
import type { FlowSchema } from "../../flows/changes/schema.js";
import type { ParkedChange } from "../../flows/sinks/parking/parked-change.js";
import { rowName } from "../../flows/sinks/parking/row-text.js";

const words = { i: "insert", u: "update", d: "delete" } as const;

/** The word for what a change does. */
export function operationText({ operation }: ParkedChange): string {
  return words[operation];
}

/** Why a change is parked, or that it was dropped. */
export function reasonText({ reason, droppedAt }: ParkedChange): string {
  const why = reason === undefined ? "waits behind another change of its key" : visible(reason);
  return droppedAt === undefined ? why : `dropped by hand: ${why}`;
}

/** `insert id=a1 (transfers 100-199): column amount: numeric field overflow` */
export function changeText(change: ParkedChange, schema: FlowSchema): string {
  const { source, from, to, row } = change;
  const range = from === to ? `${from}` : `${from}-${to}`;
  return `${operationText(change)} ${rowName(row, 0, schema)} (${visible(source)} ${range}): ${reasonText(change)}`;
}
