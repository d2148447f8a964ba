import type { ReadableChain } from "../../datasets/archive/readable-chain.js";
import type { ExtractionSource } from "../../datasets/extract/extraction.js";
import type { WaitingTeller } from "../../datasets/extract/waiting-text.js";
import { pause } from "../../machine/world.js";
import { type BlockPointer, ChainError, ReorgError } from "../../runtime/chain/chain.js";
import type { Patience } from "../../runtime/chain/rpc/patience.js";
import { FalseHistoryError } from "../../runtime/indexer/history/history.js";
import { type Database, DatabaseError } from "../../store/database/database.js";
import type { AuditWorld } from "../audit/audit-sink.js";
import { pipelineDataset } from "../definition/pipeline-dataset.js";
import type { PipelinePlan, PlannedEntity, PlannedSink, PlannedSource } from "../plan/pipeline-plan.js";
import type { PipelineWorld } from "../runner/run-sinks.js";
import { sinkTypeOf } from "../sinks/all-sinks.js";
import { DatasetSource } from "../sources/dataset-source.js";
import { AdoptedEntity, type AdoptedEntityOptions } from "../sources/entities/adopted-entity.js";
import type { EntitySourceColumn } from "../sources/entities/entity-columns.js";
import { EntityContents } from "../sources/entities/entity-contents.js";
import type { EntityPart } from "../sources/entities/entity-source.js";
import { EntitySource } from "../sources/entities/entity-source.js";
import type { Source, SourceBatch } from "../sources/source.js";
import { SourceError } from "../sources/source-error.js";
import { openTopicSource, type TopicWorld } from "./open-topic.js";

type PlannedEntitySource = PlannedSource & { readonly entity: PlannedEntity };

/** What a sink reads of an entity, wherever its subgraphs are. */
interface EntityReading {
  readonly owner: { readonly flow: string; readonly sink: string; readonly source: string };
  readonly parts: readonly EntityPart[];
  readonly columns: readonly EntitySourceColumn[];
  /** Whether to take the entities that exist when it begins. */
  readonly withRows: boolean;
  /** Whether ended versions stay in the sink: each has a row of its own there. */
  readonly withHistory: boolean;
  /** Whether the sink keeps its position, and so continues there. */
  readonly isKept: boolean;
}

export interface OpenedChain {
  readonly reader: ReadableChain;
  readonly source: ExtractionSource;
  readonly patience: Patience;
  /** Waits until there may be new blocks. @param head the last one that was read */
  newBlocks(head: BlockPointer | undefined): Promise<void>;
}

/** How the chains of sources are read. */
export interface ChainReading {
  /**
   * Opens a chain.
   * @param asked its id in decimal digits, if it is a public chain, and the last block to read, if there is one
   * @throws PipelineError, ChainError, or an error of the caller for a node that is missing or of another chain
   */
  open(
    network: string,
    asked: { readonly chainId: string | undefined; readonly last: number | undefined },
  ): Promise<OpenedChain>;
  /** Whether sources that do not answer stall, so that they are tried again, or end with their failure. */
  readonly stalls: boolean;
  /** Contracts whose deposits and withdrawals are transfers of wrapped native coins. */
  readonly wrapped?: readonly string[] | undefined;
  /** The last block to read, unless that of the source comes before it. */
  readonly last?: number | undefined;
  /** Tells why sources have not ended. Those of several sinks share it, because they wait for the same. */
  readonly waiting: WaitingTeller;
  /** Told the number of the chain's head whenever it is looked up. */
  onSeen?(head: number): void;
  /** Told whenever everything is read, with the number of the chain's head as the source sees it. */
  onHead?(head: number | undefined): void;
  readonly signal: AbortSignal;
}

/** How the sources of a pipeline are read. */
export interface SourceReading {
  readonly chains: ChainReading;
  /** The database of the subgraphs whose entities are read; `undefined` if none are. */
  readonly database: Database | undefined;
  /** Whether a source of entities ends once everything is read. */
  readonly entitiesEnd: boolean;
  /** Gets the reads of entities that have not ended, to be awaited before the database is closed. */
  readonly running?: Set<Promise<void>>;
  /** What reaches the topics that are read. */
  readonly ports: TopicWorld;
  /** Prints a permanent line. */
  say(text: string): void;
}

/** Milliseconds between two looks for changes of entities. */
const entityPause = 1_000;

/**
 * Opens the sources of a pipeline that runs.
 * @param onSeen told the head of a source's chain whenever it is looked up for a sink
 */
export function runningSources(
  plan: PipelinePlan,
  reading: SourceReading,
  onSeen: (sink: PlannedSink, source: PlannedSource, head: number) => void,
): Pick<PipelineWorld, "openSource"> {
  const { chains, database } = reading;
  return {
    openSource: (source, finalOnly, sink, { onHead }) => {
      const { entity } = source;
      if (entity && database)
        return openEntitySource({ ...source, entity }, finalOnly, sink, plan.name, {
          ...reading,
          database,
          onHead,
        });
      if (source.definition.type === "kafka")
        return openTopicSource(source, {
          ports: reading.ports,
          ends: plan.job,
          signal: chains.signal,
          say: (text) => reading.say(text),
          onHead: () => onHead(undefined),
        });
      const seen = (head: number): void => onSeen(sink, source, head);
      return openChainSource(source, finalOnly, { ...chains, onSeen: seen, onHead });
    },
  };
}

/** Opens the sources of a pipeline again, for an audit. */
export function auditedSources(
  { name: flow }: PipelinePlan,
  { chains, database, ports, say }: Pick<SourceReading, "chains" | "database" | "ports" | "say">,
): Pick<AuditWorld, "openSource" | "openContents" | "openAdopted"> {
  const optionsOf = (source: PlannedSource, sink: PlannedSink): AdoptedEntityOptions | undefined => {
    const { entity } = source;
    if (!entity || !database) return undefined;
    const finalOnly = sink.definition.settings.finalized?.value === true;
    return { ...entityReading({ ...source, entity }, sink, flow), database, finalOnly };
  };
  return {
    // A database keeps changes of entities only until the sink has them.
    openSource: (source, last, part) => {
      if (source.entity) return undefined;
      if (source.definition.type !== "kafka") return openChainSource(source, true, { ...chains, last });
      const only = part === undefined ? undefined : { part, last };
      return only && openTopicSource(source, { ports, ends: true, only, signal: chains.signal, say });
    },
    openContents: (source, sink) => {
      const options = optionsOf(source, sink);
      return options && new EntityContents(options);
    },
    openAdopted: (source, sink) => {
      const options = optionsOf(source, sink);
      return options && new AdoptedEntity(options);
    },
  };
}

/** Opens the dataset of a source. Its chain is opened when the first batch is asked for. */
export function openChainSource(planned: PlannedSource, finalOnly: boolean, chains: ChainReading): Source {
  return {
    async *batches(position, limits): AsyncGenerator<SourceBatch, void, void> {
      try {
        const source = await openDataset(planned, finalOnly, chains);
        yield* source.batches(position, limits);
      } catch (error) {
        if (chains.stalls && chains.signal.aborted) return;
        if (chains.stalls && (error instanceof ChainError || error instanceof ReorgError))
          // Rows from a source that returned false data stay wrong.
          throw new SourceError(`${planned.name}: ${error.message}`, !(error instanceof FalseHistoryError), {
            cause: error,
          });
        throw error;
      }
    },
  };
}

async function openDataset(
  { definition, schema, addresses, decoder }: PlannedSource,
  finalOnly: boolean,
  { open, last: until, wrapped, waiting, onSeen, onHead, signal }: ChainReading,
): Promise<DatasetSource> {
  if (definition.type !== "dataset") throw new Error("an entity is not a dataset");
  const { dataset_name: name, version, start_at: start, end_block: defined } = definition.settings;
  const last = until === undefined ? defined?.value : Math.min(until, defined?.value ?? until);
  const { dataset, network, chainId } = pipelineDataset(name?.value ?? "", version?.value);
  const { reader, source, patience, newBlocks } = await open(network, { chainId, last });
  const { archived } = reader;
  // A chain on the user's machine calls blocks final late or never, and has no new ones to wait for.
  const isAtOnce = chainId === undefined && last !== undefined;
  let seen: BlockPointer | undefined;
  let finalTo: number | undefined;
  return new DatasetSource({
    source,
    kind: dataset.kind,
    columns: schema.columns,
    addresses,
    wrapped,
    decoder,
    startAt: start?.value ?? "latest",
    last,
    finalOnly,
    finalOf: async (head: BlockPointer) => {
      seen = head;
      onSeen?.(head.number);
      const final = isAtOnce ? head : await reader.final(head, refuse);
      finalTo = final?.number;
      return final;
    },
    patience,
    storedLogs: archived && ((question) => archived.storedLogs(question)),
    waitForBlocks: async () => {
      await archived?.flush();
      onHead?.(seen?.number);
      if (seen !== undefined && last !== undefined)
        waiting.waits(network, last, { head: seen.number, final: finalTo });
      await newBlocks(seen);
      return !signal.aborted;
    },
  });
}

/** Ends a source whose node does not say what is final. @throws ChainError */
export function refuse(why: string): never {
  throw new ChainError(why);
}

function openEntitySource(
  planned: PlannedEntitySource,
  finalOnly: boolean,
  sink: PlannedSink,
  flow: string,
  {
    chains: { stalls, signal },
    database,
    entitiesEnd: ends,
    running,
    say,
    onHead,
  }: SourceReading & { readonly database: Database } & Pick<ChainReading, "onHead">,
): Source {
  const source = new EntitySource({
    ...entityReading(planned, sink, flow),
    database,
    finalOnly,
    ends,
    say,
    wait: async () => {
      onHead?.(undefined);
      await pause(entityPause, signal);
      return !signal.aborted;
    },
  });
  return {
    confirm: (next) => source.confirm(next),
    finish: () => source.finish(),
    async *batches(position): AsyncGenerator<SourceBatch, void, void> {
      let finish: () => void = () => undefined;
      const end = new Promise<void>((resolve) => {
        finish = resolve;
      });
      running?.add(end);
      try {
        yield* source.batches(position);
      } catch (error) {
        if (stalls && signal.aborted) return;
        if (stalls && error instanceof DatabaseError)
          throw new SourceError(
            `${planned.name}: the server's database cannot be read: ${error.message}`,
            true,
            { cause: error },
          );
        throw error;
      } finally {
        running?.delete(end);
        finish();
      }
    },
  };
}

/** What a sink reads of an entity. @param flow the name under which the sinks keep their positions */
function entityReading(
  { definition, name, entity }: PlannedEntitySource,
  sink: PlannedSink,
  flow: string,
): EntityReading {
  return {
    owner: { flow, sink: sink.name, source: name },
    parts: entity.parts,
    columns: entity.columns,
    withRows: definition.settings.start_at?.value === "earliest",
    withHistory: sink.schema.key.includes("vid"),
    isKept: sinkTypeOf(sink.definition.type).place !== "nothing",
  };
}
