import { Report } from "../../compiler/diagnostics/report.js";
import { createNodeHost } from "../../machine/files/host.js";
import type { DefinedPipeline } from "../../pipelines/definition/definition.js";
import { loadDefinition } from "../../pipelines/definition/load-definition.js";
import { secretVariable } from "../../pipelines/definition/secret-variable.js";
import { sqlEngines } from "../../pipelines/host/open-ports.js";
import { checkSecretHeaders } from "../../pipelines/plan/check-http.js";
import type { PipelinePlan } from "../../pipelines/plan/pipeline-plan.js";
import { planPipeline } from "../../pipelines/plan/plan-pipeline.js";
import type { SubgraphCatalog, UnreadSubgraphs } from "../../pipelines/plan/subgraph-catalog.js";
import { allSinks } from "../../pipelines/sinks/all-sinks.js";
import { givenVariables } from "../terminal/given-variables.js";
import type { Terminal } from "../terminal/terminal.js";

/** Megabytes that each SQL engine may use on the user's own machine. */
export const sqlMemory = 1_024;

/** A definition that was checked. */
export interface PlannedFile {
  /** `undefined` if there are errors. */
  readonly plan: PipelinePlan | undefined;
  /** `undefined` if nothing could be read. */
  readonly definition: DefinedPipeline | undefined;
  readonly report: Report;
}

/**
 * Reads and checks a definition.
 * @param given values of variables, `<NAME>=<value>`; others come from the environment
 * @param openSubgraphs called if the definition reads entities of subgraphs
 * @param anySql whether queries may aggregate, join and so on, since another engine runs them
 * @throws UsageError for a value without a name; PackageMissingError if it has SQL and no engine for it
 */
export async function planFile(
  path: string,
  given: readonly string[],
  terminal: Terminal,
  openSubgraphs: () => Promise<SubgraphCatalog | UnreadSubgraphs>,
  anySql = false,
): Promise<PlannedFile> {
  const values = givenVariables(given);
  const report = new Report();
  const host = createNodeHost({ cwd: terminal.cwd, ...(terminal.stdin && { stdin: terminal.stdin }) });
  const variables = (name: string): string | undefined => values.get(name) ?? terminal.env?.[name];
  const definition = await loadDefinition(path, host, variables, allSinks, report);
  if (!definition) return { plan: undefined, definition, report };
  checkSecretHeaders(definition, (name) => terminal.env?.[secretVariable(name)], report);
  const readsEntities = definition.sources.some(({ type }) => type === "subgraph_entity");
  const subgraphs = readsEntities ? await openSubgraphs() : undefined;
  const world = {
    openEngine: sqlEngines(sqlMemory),
    sinkTypes: allSinks,
    anySql,
    ...(subgraphs && { subgraphs }),
  };
  return { plan: await planPipeline(definition, world, report), definition, report };
}
