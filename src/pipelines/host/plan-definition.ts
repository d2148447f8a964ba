import type { Report } from "../../compiler/diagnostics/report.js";
import type { DefinedPipeline } from "../definition/definition.js";
import type { IntegerForm } from "../flink/column-types.js";
import type { FlinkPipeline } from "../flink/split-pipeline.js";
import { checkSecretHeaders } from "../plan/check-http.js";
import type { PipelinePlan } from "../plan/pipeline-plan.js";
import { planPipeline } from "../plan/plan-pipeline.js";
import type { SubgraphCatalog, UnreadSubgraphs } from "../plan/subgraph-catalog.js";
import { allSinks } from "../sinks/all-sinks.js";
import { sqlEngines } from "./open-ports.js";

/** What planning a definition needs. */
export interface PlanningWorld {
  /** Megabytes that the SQL engine may use. */
  readonly memory: number;
  /** The value of a secret; `undefined` if there is none of the name. */
  secret(name: string): string | undefined;
  /** Finds the subgraphs; called only if the definition reads entities. */
  openSubgraphs(): Promise<SubgraphCatalog | UnreadSubgraphs>;
  /** Flink's type for integers of 256 bits, if Flink runs the queries, which then may aggregate, join and so on. */
  readonly flinkIntegers: IntegerForm | undefined;
}

/** What was planned. Mistakes are in the report. */
export interface Planned {
  /** `undefined` if there are errors that leave nothing to plan. */
  readonly plan: PipelinePlan | undefined;
  /** The plan in two parts, if Flink runs the queries; `undefined` after an error. */
  readonly flow: FlinkPipeline | undefined;
}

/**
 * Plans a definition for a process of the command line or of a server. Nothing is asked of its sinks.
 * @throws PackageMissingError if it has SQL and no engine for it
 */
export async function planDefinition(
  definition: DefinedPipeline,
  { memory, secret, openSubgraphs, flinkIntegers }: PlanningWorld,
  report: Report,
): Promise<Planned> {
  checkSecretHeaders(definition, secret, report);
  const readsEntities = definition.sources.some(({ type }) => type === "subgraph_entity");
  const subgraphs = readsEntities ? await openSubgraphs() : undefined;
  const world = {
    openEngine: sqlEngines(memory),
    sinkTypes: allSinks,
    anySql: flinkIntegers !== undefined,
    ...(subgraphs && { subgraphs }),
  };
  const plan = await planPipeline(definition, world, report);
  if (!plan || !flinkIntegers) return { plan, flow: undefined };
  // What prints queries for Flink is loaded only for it.
  const { splitPipeline } = await import("../flink/split-pipeline.js");
  return { plan, flow: splitPipeline(plan, flinkIntegers, report) };
}
