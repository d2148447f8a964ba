import { createNodeWorld } from "../../../../src/machine/world.js";
import { openTopicSource } from "../../../../src/pipelines/host/open-topic.js";
import type { PlannedSource } from "../../../../src/pipelines/plan/pipeline-plan.js";
import { type PipelineWorld, runSinks } from "../../../../src/pipelines/runner/run-sinks.js";
import type { SinkState } from "../../../../src/pipelines/runner/sink-state.js";
import type { SinkWorld } from "../../../../src/pipelines/sinks/opening.js";
import type { Source } from "../../../../src/pipelines/sources/source.js";
import { openEngine } from "../law-pipeline.js";
import { soundPipeline } from "../planned-pipeline.js";

/** A pipeline that reads topics, and what a run of it uses. */
export interface TopicRun {
  readonly yaml: string;
  readonly world: SinkWorld;
  /** Told what sources say. */
  say?(text: string): void;
  readonly signal?: AbortSignal;
}

const real = createNodeWorld();
const none = async (): Promise<never> => {
  throw new Error("there is no code");
};

/** Opens the topics of a pipeline that ends with what they hold, or reads parts of them again. */
export function openTopic(
  source: PlannedSource,
  { world, say = () => undefined, signal = new AbortController().signal }: TopicRun,
  ends: boolean,
  only?: { readonly part: string; readonly last: number },
): Source {
  return openTopicSource(source, { ports: world, ends, signal, say, ...(only && { only }) });
}

/** Runs all sinks of a pipeline until their topics end. Failures that may pass are tried again at once. */
export async function runTopics(run: TopicRun): Promise<ReadonlyMap<string, SinkState>> {
  const plan = await soundPipeline(run.yaml);
  const world: PipelineWorld = {
    ...run.world,
    // Pauses before attempts are short.
    clock: { ...real, timeout: () => AbortSignal.timeout(1) },
    openEngine,
    openScript: none,
    openSource: (source) => openTopic(source, run, plan.job),
  };
  const { signal = new AbortController().signal } = run;
  return runSinks(plan, world, () => undefined, signal);
}
