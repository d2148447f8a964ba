import { type Database, DatabaseError } from "../../../store/database/database.js";
import type { PlannedSink } from "../../plan/pipeline-plan.js";
import { entityReading, type PlannedEntitySource } from "../../sinks/entity-reading.js";
import { AdoptedEntity, type AdoptedEntityOptions } from "../../sources/entities/adopted-entity.js";
import { EntityContents } from "../../sources/entities/entity-contents.js";
import { EntitySource } from "../../sources/entities/entity-source.js";
import type { Source, SourceBatch, SourcePosition } from "../../sources/source.js";
import type { AdoptedContents, SourceContents } from "../../sources/source-contents.js";
import { SourceError } from "../../sources/source-error.js";
import type { PipelineLine } from "../pipeline-engine.js";

/** How entities of a server are read. */
export interface ServedEntityOptions {
  /** The name under which the pipeline's sinks keep their positions. */
  readonly flow: string;
  readonly job: boolean;
  readonly database: Database;
  say(level: PipelineLine["level"], text: string): void;
  /** Waits a moment for changes. @returns false once the pipeline is to end */
  wait(): Promise<boolean>;
  readonly signal: AbortSignal;
}

/** Opens the entity of a source. A database that does not answer makes it stall; it never ends it. */
export function openServedEntity(
  planned: PlannedEntitySource,
  finalOnly: boolean,
  sink: PlannedSink,
  { flow, job, database, say, wait, signal }: ServedEntityOptions,
): Source {
  const source = new EntitySource({
    ...entityReading(planned, sink, flow),
    database,
    finalOnly,
    ends: job,
    say: (text) => say("info", text),
    wait,
  });
  return {
    confirm: (next) => source.confirm(next),
    finish: () => source.finish(),
    async *batches(position: SourcePosition | undefined): AsyncGenerator<SourceBatch, void, void> {
      try {
        yield* source.batches(position);
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof DatabaseError)
          throw new SourceError(
            `${planned.name}: the server's database cannot be read: ${error.message}`,
            true,
            {
              cause: error,
            },
          );
        throw error;
      }
    },
  };
}

/** Opens what an entity was when a sink had it. */
export function openServedContents(
  planned: PlannedEntitySource,
  sink: PlannedSink,
  { flow, database }: Pick<ServedEntityOptions, "flow" | "database">,
): SourceContents {
  return new EntityContents(contentsOptions(planned, sink, { flow, database }));
}

/** Opens what an entity is, for a sink whose position the database does not know. */
export function openServedAdopted(
  planned: PlannedEntitySource,
  sink: PlannedSink,
  { flow, database }: Pick<ServedEntityOptions, "flow" | "database">,
): AdoptedContents {
  return new AdoptedEntity(contentsOptions(planned, sink, { flow, database }));
}

function contentsOptions(
  planned: PlannedEntitySource,
  sink: PlannedSink,
  { flow, database }: Pick<ServedEntityOptions, "flow" | "database">,
): AdoptedEntityOptions {
  const finalOnly = sink.definition.settings.finalized?.value === true;
  return { ...entityReading(planned, sink, flow), database, finalOnly };
}
