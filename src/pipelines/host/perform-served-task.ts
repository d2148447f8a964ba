import type { Database } from "../../store/database/database.js";
import type { AuditWorld } from "../audit/audit-sink.js";
import { openTemporaryScratch } from "../machine/temporary-scratch.js";
import type { PipelinePlan } from "../plan/pipeline-plan.js";
import type { PipelineWorld } from "../runner/run-sinks.js";
import { type PipelineTask, type PipelineTaskResult, performTask } from "../tasks/pipeline-task.js";
import { openServedChain, type ServedChainOptions } from "./served/served-chains.js";
import { openServedAdopted, openServedContents } from "./served/served-entities.js";

/** What a task needs on a server. */
export interface ServedTaskOptions {
  /** All but the sources. */
  readonly ports: Omit<PipelineWorld, "openSource">;
  readonly chains: ServedChainOptions;
  readonly database: Database;
  /** Nothing more is begun once it is aborted. */
  readonly signal: AbortSignal;
  /** Told in a sentence how far it is. */
  onProgress(text: string): void;
}

/** Does a task on the state of a pipeline's sinks on a server. @throws what `performTask` throws */
export function performServedTask(
  plan: PipelinePlan,
  task: PipelineTask,
  { ports, chains, database, signal, onProgress }: ServedTaskOptions,
): Promise<PipelineTaskResult> {
  const world: AuditWorld = {
    ...ports,
    openScratch: openTemporaryScratch,
    // The database keeps changes of entities only until the sink has them.
    openSource: (source, last) =>
      source.entity ? undefined : openServedChain(source, true, { ...chains, last }),
    openContents: (source, sink) => {
      const { entity } = source;
      return entity && openServedContents({ ...source, entity }, sink, { flow: plan.name, database });
    },
    openAdopted: (source, sink) => {
      const { entity } = source;
      return entity && openServedAdopted({ ...source, entity }, sink, { flow: plan.name, database });
    },
  };
  return performTask(plan, task, world, onProgress, signal);
}
