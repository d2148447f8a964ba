import type { RowColumn, RowSchema } from "../../changes/schema.js";

/** What every message has besides its value. A partition and an offset identify a message. */
export const messageColumns: readonly RowColumn[] = [
  { name: "kafka_partition", type: "LONG", nullable: false },
  { name: "kafka_offset", type: "LONG", nullable: false },
  { name: "kafka_timestamp", type: "TIMESTAMP", nullable: false },
  { name: "kafka_key", type: "STRING", nullable: true },
];

const messageKey = ["kafka_partition", "kafka_offset"];

/** The rows of messages that are added one by one. @param columns the columns of the messages' values */
export function messageSchema(columns: readonly RowColumn[]): RowSchema {
  return { columns: [...columns, ...messageColumns], key: messageKey };
}

/** Whether messages of a format say what a row was before a change: envelopes of Debezium. */
export function isEnvelope(format: string | undefined): boolean {
  return format?.startsWith("debezium-") ?? false;
}
