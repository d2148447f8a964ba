import type { LedgerEntry } from "../../../../src/pipelines/changes/ledger.js";
import { openFileState } from "../../../../src/pipelines/machine/state/open-file-state.js";
import { decodeJournal } from "../../../../src/pipelines/sinks/kafka/journal-records.js";
import { JournalState } from "../../../../src/pipelines/sinks/kafka/journal-state.js";
import type { Kafka } from "../../../../src/pipelines/sinks/kafka-client.js";
import { lawPipeline } from "../law-pipeline.js";

/** What is compared of an entry. */
export type KeptEntry = Pick<LedgerEntry, "rows" | "sum">;

const sources = ["played", "things"];

/** The ledgers in the state of a sink that sends its rows. @param target where it sends them */
export async function ledgersOfState(folder: string, target: string): Promise<readonly KeptEntry[]> {
  const { sink, owner } = await lawPipeline();
  const { columns } = sink.schema;
  const state = await openFileState(folder, { flow: owner.flow, sink: sink.name, target, columns });
  try {
    return sources.flatMap((source) => state.ledger(source));
  } finally {
    await state.close();
  }
}

/** The ledgers in the journal of a topic. */
export async function ledgersOfTopic(kafka: Kafka, topic: string): Promise<readonly KeptEntry[]> {
  const journal = `${topic}.graphloom`;
  const id = (await kafka.topic(topic))?.id ?? "";
  const [range = { first: 0n, next: 0n }] = await kafka.ranges(journal);
  const state = new JournalState();
  for await (const read of kafka.read(journal, 0, range)) {
    const record = decodeJournal(read, id);
    if (record) state.add(record);
  }
  return sources.flatMap((source) => state.ledger(source));
}
