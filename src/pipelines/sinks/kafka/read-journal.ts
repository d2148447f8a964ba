import type { RowColumn } from "../../changes/schema.js";
import { keptBlock } from "../../state/kept-records.js";
import type { Positions, WrittenBlock } from "../../state/sink-batch.js";
import { SinkError } from "../../state/sink-error.js";
import type { Kafka, KafkaTopic } from "../kafka-client.js";
import { decodeJournal, type OpenReference } from "./journal-records.js";
import { JournalState } from "./journal-state.js";

/** Whose journal it is. */
export interface JournalOwner {
  readonly flow: string;
  readonly sink: string;
  readonly topic: string;
  /** The columns of the sink's rows. */
  readonly columns: readonly RowColumn[];
  /** What data_format calls the format of the topic's records. */
  readonly format: string;
  /** When this run began, in milliseconds since the Unix epoch; absent for an audit. */
  readonly began?: number;
}

/** What is added to the name of a topic for its journal. */
export const journalSuffix = ".graphloom";

/** What a journal says, and where it ends. */
export interface ReadJournal {
  readonly state: JournalState;
  readonly found: KafkaTopic;
  readonly end: bigint;
}

/**
 * Reads the journal of a topic, without writing anything.
 * @returns `undefined` if there is none
 * @throws SinkError for the journal of another sink, and for one that cannot be read; KafkaError
 */
export async function readJournal(
  kafka: Kafka,
  owner: JournalOwner,
  topic: KafkaTopic,
): Promise<ReadJournal | undefined> {
  const name = owner.topic + journalSuffix;
  const found = await kafka.topic(name);
  if (!found) return undefined;
  const [range = { first: 0n, next: 0n }] = await kafka.ranges(name);
  const state = new JournalState();
  for await (const record of kafka.read(name, 0, range)) {
    const read = readRecord(() => decodeJournal(record, topic.id), name, record.offset);
    if (read) state.add(read);
  }
  checkOwner(state, owner, topic);
  return { state, found, end: range.next };
}

function readRecord<T>(read: () => T, topic: string, offset: bigint): T {
  try {
    return read();
  } catch (error) {
    throw new SinkError(
      `Topic ${topic} holds a record at offset ${offset} that this version has not written. Use the version that did, or another topic.`,
      false,
      { cause: error },
    );
  }
}

/** One topic is written by one sink, and keeps its number of partitions. */
function checkOwner(
  state: JournalState,
  { flow, sink, topic, format }: JournalOwner,
  { partitions }: KafkaTopic,
): void {
  for (const head of state.heads.values()) {
    if (head.flow !== flow || head.sink !== sink)
      throw new SinkError(
        `Topic ${topic} is written by sink ${head.sink} of pipeline ${head.flow}. Choose another topic.`,
        false,
      );
    if (head.format !== format)
      throw new SinkError(
        `Topic ${topic} holds records as ${head.format}. Set data_format: ${head.format}, or choose another topic.`,
        false,
      );
    if (head.partitions !== partitions)
      throw new SinkError(
        `Topic ${topic} has ${partitions} partitions, but had ${head.partitions} when it was written, so keys would change their partition. Choose another topic.`,
        false,
      );
  }
}

/** How far each source has been written. @throws SinkError if open blocks have other columns */
export function positionsOf(state: JournalState, columns: readonly RowColumn[], topic: string): Positions {
  return new Map(
    [...state.heads].map(([source, { next, open }]) => [
      source,
      { next, open: open.map((block) => writtenBlock(state, source, block, columns, topic)) },
    ]),
  );
}

function writtenBlock(
  state: JournalState,
  source: string,
  block: OpenReference,
  columns: readonly RowColumn[],
  topic: string,
): WrittenBlock {
  const { number, hash } = block;
  const text = Buffer.from(state.openRows(source, block) ?? []).toString();
  const place = { name: `Topic ${topic}${journalSuffix}`, advice: "Choose another topic" };
  return keptBlock(source, { number, hash, text }, columns, place);
}
