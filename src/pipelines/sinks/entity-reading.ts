import type { PlannedEntity, PlannedSink, PlannedSource } from "../plan/pipeline-plan.js";
import type { EntitySourceColumn } from "../sources/entities/entity-columns.js";
import type { EntityPart } from "../sources/entities/entity-source.js";
import { sinkTypeOf } from "./all-sinks.js";

/** A source of an entity. */
export type PlannedEntitySource = PlannedSource & { readonly entity: PlannedEntity };

/** What a sink reads of an entity, wherever its subgraphs are. */
export interface EntityReading {
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

/** What a sink reads of an entity. @param flow the name under which the sinks keep their positions */
export function entityReading(
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
