import { invariant } from "../../base/invariant.js";
import { Report } from "../../compiler/diagnostics/report.js";
import { parseDocument } from "../../compiler/parse/parse-document.js";
import { readDefinition } from "../definition/read-definition.js";
import type { PipelinePlan } from "./pipeline-plan.js";
import { type PlanWorld, planPipeline } from "./plan-pipeline.js";

/**
 * Plans a definition that the program itself created.
 * @param document the definition, as parsed YAML
 * @throws InternalError if the definition has a mistake; PackageMissingError if it needs an SQL engine that is not
 * installed
 */
export async function planDocument(
  document: { readonly name: string } & Readonly<Record<string, unknown>>,
  world: PlanWorld,
): Promise<PipelinePlan> {
  const report = new Report();
  const source = { path: `${document.name}.json`, text: JSON.stringify(document) };
  const tree = parseDocument(source, report, () => undefined);
  const definition = tree && readDefinition(tree, world.sinkTypes, report);
  const plan = definition && (await planPipeline(definition, world, report));
  const [fault] = report.diagnostics.filter(({ severity }) => severity === "error");
  invariant(plan, `the definition of ${document.name} is wrong: ${fault?.message}`);
  return plan;
}
