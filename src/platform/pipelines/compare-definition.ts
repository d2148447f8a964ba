import type { SinkChange } from "../../base/sink-change.js";
import { messageOf } from "../../base/text/message-of.js";
import type { DefinitionText } from "../../pipelines/host/pipeline-engine.js";
import { isResourceSize } from "../../pipelines/host/resource-sizes.js";
import { isBusy, Problem } from "../problem.js";
import { type AskedEngine, chosenEngine } from "./chosen-engine.js";
import { invalid } from "./definition-problem.js";
import { findPipeline, findPipelineVersion, type PipelineName } from "./pipeline-rows.js";
import type { Pipelines } from "./pipelines.js";
import { hostOf, pipelineIdOf } from "./project-host.js";

/**
 * The effect of applying a definition on a pipeline's sinks. Does not write.
 * @param asked the requested engine for its queries
 * @param signal ends the comparison
 * @returns an empty list for a new pipeline, and if the engine changes
 * @throws Problem `bad-request` with all mistakes, `unprocessable` if it cannot be compared; DatabaseError
 */
export async function compareDefinition(
  { platform, engine }: Pick<Pipelines, "platform" | "engine">,
  named: PipelineName,
  { text, variables }: Omit<DefinitionText, "engine">,
  asked: AskedEngine,
  signal: AbortSignal,
): Promise<readonly SinkChange[]> {
  const { database } = platform;
  const row = await findPipeline(database, named);
  const current = row && (await findPipelineVersion(database, row, row.version));
  if (!current || !isResourceSize(current.size)) return [];
  const chosen = chosenEngine(asked, current.engine, named.project, engine.flink);
  if (chosen?.kind !== current.engine?.kind) return [];
  const definition = { text, variables, engine: chosen };
  const host = hostOf(platform, named.project);
  const order = { flow: pipelineIdOf(named), definition, size: current.size, host };
  const { findings, sinks } = await engine.compare(order, signal).catch((cause: unknown) => {
    if (isBusy(cause)) throw cause;
    const why = messageOf(cause);
    throw new Problem("unprocessable", `The sinks could not be compared: ${why}.`, { cause });
  });
  if (!sinks) throw invalid(findings);
  const kept = new Set(sinks.map(({ sink }) => sink));
  const gone = current.topology.filter(({ kind, name }) => kind === "sink" && !kept.has(name));
  return [
    ...sinks,
    ...gone.map(({ name, type }) => ({
      sink: name,
      type,
      change: "gone" as const,
      reasons: [],
      reset: null,
      recreate: null,
      otherwise: null,
    })),
  ];
}
