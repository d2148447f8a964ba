import type { LedgerEntry } from "../../changes/ledger.js";
import type { KeptLineage } from "../../state/lineage-guard.js";
import type { ParkedChange } from "../../state/parked-change.js";
import { SinkError } from "../../state/sink-error.js";
import type { AuditedWorld, AuditOptions, AuditSink, SinkAudit, SourceStates, StoredRows } from "../audit.js";
import { rowsOfLedgers } from "../compared-parts.js";
import type { ReadParked } from "../opening.js";
import { RowError } from "../sink.js";
import { parkedIn } from "./journal-aside.js";
import { type KafkaSink, type KafkaSinkOptions, openKafkaSink, sinkErrorOf } from "./kafka-sink.js";
import { kafkaOptions } from "./open-kafka.js";
import { positionsOf, type ReadJournal, readJournal } from "./read-journal.js";
import type { KafkaShape } from "./shape.js";
import { StoredTopic } from "./stored-topic.js";

/** Opens a topic for an audit. One that mends takes it over, as a second run does. @throws SinkError */
export const auditKafka: AuditSink<KafkaShape> = async (planned, owner, world, options, work) => {
  const target = await kafkaOptions(planned, owner, world);
  const { kafka } = target;
  // The sink of an audit that mends must not close what the audit reads with.
  const shared = { ...target, kafka: { ...methodsOf(kafka), close: async () => undefined } };
  const audit = new KafkaAudit(shared, owner.sources, world, options);
  try {
    return await work(audit);
  } catch (error) {
    if (error instanceof RowError) throw new SinkError(error.message, false, { cause: error });
    throw sinkErrorOf(error);
  } finally {
    await audit.close();
    await kafka.close();
  }
};

/** Reads the parked changes of a topic, also during a run. @throws SinkError */
export const parkedBesideTopic: ReadParked<KafkaShape> = async (planned, owner, world) => {
  const target = await kafkaOptions(planned, owner, world);
  try {
    const journal = await journalOf(target);
    return journal ? parkedIn(journal.state, target.schema.columns) : [];
  } catch (error) {
    throw sinkErrorOf(error);
  } finally {
    await target.kafka.close();
  }
};

function methodsOf(kafka: KafkaSinkOptions["kafka"]): KafkaSinkOptions["kafka"] {
  return {
    topic: (name) => kafka.topic(name),
    createTopic: (...given) => kafka.createTopic(...given),
    deleteTopics: (prefix) => kafka.deleteTopics(prefix),
    ranges: (topic) => kafka.ranges(topic),
    committed: (...given) => kafka.committed(...given),
    send: (topic, records) => kafka.send(topic, records),
    read: (...given) => kafka.read(...given),
    close: () => kafka.close(),
  };
}

class KafkaAudit implements SinkAudit {
  /** Missing where a record does not say what its row is. */
  readonly rows?: () => Promise<StoredRows>;
  readonly #target: KafkaSinkOptions;
  readonly #options: AuditOptions;
  #stored: StoredTopic | undefined;
  #sink: KafkaSink | undefined;

  constructor(
    target: KafkaSinkOptions,
    sources: readonly string[],
    world: AuditedWorld,
    options: AuditOptions,
  ) {
    this.#target = target;
    this.#options = options;
    if (target.schema.key.length === 0 || target.envelope) return;
    this.rows = async () => {
      const rows = rowsOfLedgers(await this.states());
      this.#stored ??= await StoredTopic.open(target, { world, sources, rows, ...options });
      return this.#stored;
    };
  }

  async states(): Promise<SourceStates> {
    const { schema, topic } = this.#target;
    const journal = await this.#journal();
    if (!journal) return new Map();
    const { state } = journal;
    return new Map(
      [...positionsOf(state, schema.columns, topic)].map(([source, position]) => [
        source,
        { position, ledger: state.ledger(source) },
      ]),
    );
  }

  async parked(): Promise<readonly ParkedChange[]> {
    const journal = await this.#journal();
    return journal ? parkedIn(journal.state, this.#target.schema.columns) : [];
  }

  async lineage(): Promise<KeptLineage> {
    const journal = await this.#journal();
    return journal?.state.lineage ?? { text: undefined, isWritten: false };
  }

  async hold(): Promise<void> {
    if (this.#options.mends) {
      this.#sink = await openKafkaSink(this.#target);
      for (const batch of this.#sink.unfinished) await this.#sink.write(batch);
    }
    const before = await this.#journal();
    this.#stored?.from(this.#sink, async () => {
      const after = await this.#journal();
      if (before?.end === after?.end) return;
      throw new SinkError(
        `Topic ${this.#target.topic} was written while it was compared. Stop the pipeline, and try again.`,
        true,
      );
    });
  }

  async correct(source: string, entry: LedgerEntry): Promise<void> {
    await this.#sink?.correct(source, entry);
  }

  async close(): Promise<void> {
    await this.#stored?.close();
  }

  #journal(): Promise<ReadJournal | undefined> {
    return journalOf(this.#target);
  }
}

async function journalOf(target: KafkaSinkOptions): Promise<ReadJournal | undefined> {
  const { kafka, topic: name, flow, sink, schema, format = "json" } = target;
  const topic = await kafka.topic(name);
  return topic && readJournal(kafka, { flow, sink, topic: name, columns: schema.columns, format }, topic);
}
