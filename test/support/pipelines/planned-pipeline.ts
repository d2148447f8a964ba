import type { Diagnostic } from "../../../src/compiler/diagnostics/diagnostic.js";
import { Report } from "../../../src/compiler/diagnostics/report.js";
import { loadDefinition } from "../../../src/pipelines/definition/load-definition.js";
import type { PipelinePlan } from "../../../src/pipelines/plan/pipeline-plan.js";
import { planPipeline } from "../../../src/pipelines/plan/plan-pipeline.js";
import { allSinks } from "../../../src/pipelines/sinks/all-sinks.js";
import type { SqlEngine } from "../../../src/pipelines/sql/engine.js";
import { memoryHost } from "../compiler/memory-host.js";
import { openEngine as openTestEngine } from "./law-pipeline.js";

/**
 * Plans a definition in YAML; what is wrong with it, a line each, if it has errors.
 * @param anySql whether queries may aggregate, join and so on
 */
export async function plannedPipeline(
  yaml: string,
  openEngine: () => Promise<SqlEngine> = openTestEngine,
  anySql = false,
): Promise<PipelinePlan | readonly string[]> {
  const { plan, findings } = await plannedWith(yaml, openEngine, anySql);
  return plan ?? findings;
}

/**
 * What is wrong with a definition in YAML, a line each, and what deserves a warning.
 * @param files files beside it
 */
export async function findingsIn(
  yaml: string,
  files: Readonly<Record<string, string>> = {},
): Promise<readonly string[]> {
  return (await plannedWith(yaml, openTestEngine, false, files)).findings;
}

/** Plans a definition in YAML. @returns the plan, if it has no errors, and all diagnostics, also as lines */
export async function plannedWith(
  yaml: string,
  openEngine: () => Promise<SqlEngine> = openTestEngine,
  anySql = false,
  files: Readonly<Record<string, string>> = {},
): Promise<{
  readonly plan: PipelinePlan | undefined;
  readonly diagnostics: readonly Diagnostic[];
  readonly findings: readonly string[];
}> {
  const report = new Report();
  const world = {
    host: memoryHost({ "flow.yaml": yaml, ...files }),
    variables: () => undefined,
    sinkTypes: allSinks,
    read: async (): Promise<never> => {
      throw new Error("there is no network");
    },
  };
  const definition = (await loadDefinition("flow.yaml", world, report))?.definition;
  const plan =
    definition && (await planPipeline(definition, { openEngine, sinkTypes: allSinks, anySql }, report));
  const { diagnostics } = report;
  return { plan, diagnostics, findings: diagnostics.map(({ code, message }) => `${code}: ${message}`) };
}

/** Plans a definition that is sound. @throws Error with what is wrong with it */
export async function soundPipeline(
  yaml: string,
  openEngine: () => Promise<SqlEngine> = openTestEngine,
  anySql = false,
  files: Readonly<Record<string, string>> = {},
): Promise<PipelinePlan> {
  const { plan, findings } = await plannedWith(yaml, openEngine, anySql, files);
  if (!plan) throw new Error(findings.join("\n"));
  return plan;
}
