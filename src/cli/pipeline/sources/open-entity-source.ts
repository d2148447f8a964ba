import { pause } from "../../../machine/world.js";
import type { PlannedSink } from "../../../pipelines/plan/pipeline-plan.js";
import { entityReading, type PlannedEntitySource } from "../../../pipelines/sinks/entity-reading.js";
import {
  AdoptedEntity,
  type AdoptedEntityOptions,
} from "../../../pipelines/sources/entities/adopted-entity.js";
import { EntityContents } from "../../../pipelines/sources/entities/entity-contents.js";
import { EntitySource } from "../../../pipelines/sources/entities/entity-source.js";
import type { Source, SourceBatch, SourcePosition } from "../../../pipelines/sources/source.js";
import type { AdoptedContents, SourceContents } from "../../../pipelines/sources/source-contents.js";
import type { Database } from "../../../store/database/database.js";

/** How entities are read. */
export interface EntitySourceWorld {
  /** The name of the pipeline. */
  readonly flow: string;
  /** The database of the subgraphs. */
  readonly database: Database;
  /** Whether the pipeline ends once everything is read. */
  readonly job: boolean;
  /** Reads that have not ended, to be awaited before the database is closed. */
  readonly running: Set<Promise<void>>;
  /** Prints a permanent line. */
  say(text: string): void;
  /** Told whenever everything is read. */
  onHead?(head: number | undefined): void;
  readonly signal: AbortSignal;
}

/** Milliseconds between two looks for changes. */
const interval = 1_000;

/** Opens the entity of a source. */
export function openEntitySource(
  planned: PlannedEntitySource,
  finalOnly: boolean,
  sink: PlannedSink,
  { flow, database, job, running, say, onHead, signal }: EntitySourceWorld,
): Source {
  const source = new EntitySource({
    ...entityReading(planned, sink, flow),
    database,
    finalOnly,
    // The folder belongs to this process alone, so its data cannot grow meanwhile.
    ends: job || database.provider === "pglite",
    say,
    wait: async () => {
      onHead?.(undefined);
      await pause(interval, signal);
      return !signal.aborted;
    },
  });
  return {
    confirm: (next) => source.confirm(next),
    finish: () => source.finish(),
    async *batches(position: SourcePosition | undefined): AsyncGenerator<SourceBatch, void, void> {
      let finish: () => void = () => undefined;
      const end = new Promise<void>((resolve) => {
        finish = resolve;
      });
      running.add(end);
      try {
        yield* source.batches(position);
      } finally {
        running.delete(end);
        finish();
      }
    },
  };
}

/** Opens what an entity was when a sink had it. */
export function openEntityContents(
  planned: PlannedEntitySource,
  sink: PlannedSink,
  { flow, database }: Pick<EntitySourceWorld, "flow" | "database">,
): SourceContents {
  return new EntityContents(contentsOptions(planned, sink, { flow, database }));
}

/** Opens what an entity is, for a sink whose position the database does not know. */
export function openAdoptedEntity(
  planned: PlannedEntitySource,
  sink: PlannedSink,
  { flow, database }: Pick<EntitySourceWorld, "flow" | "database">,
): AdoptedContents {
  return new AdoptedEntity(contentsOptions(planned, sink, { flow, database }));
}

function contentsOptions(
  planned: PlannedEntitySource,
  sink: PlannedSink,
  { flow, database }: Pick<EntitySourceWorld, "flow" | "database">,
): AdoptedEntityOptions {
  const finalOnly = sink.definition.settings.finalized?.value === true;
  return { ...entityReading(planned, sink, flow), database, finalOnly };
}
