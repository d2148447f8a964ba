import { quote } from "../../base/text/quote.js";
import type { Report } from "../../compiler/diagnostics/report.js";
import { pipelineDataset } from "../definition/pipeline-dataset.js";
import { sourcesBefore } from "./nodes-before.js";
import type { PipelinePlan, PlannedSource } from "./pipeline-plan.js";

/**
 * Reports lookups in tables that are filled from another chain: their content for a row would depend on how fast the
 * chains are read.
 */
export function checkTables(
  { sources, transforms, tables = [] }: Pick<PipelinePlan, "sources" | "transforms" | "tables">,
  report: Report,
): void {
  const queries = [...transforms, ...tables.flatMap(({ fill }) => fill?.query ?? [])];
  for (const { name, fill } of tables) {
    if (!fill) continue;
    const chain = chainOf(fill.source);
    for (const node of [...sources, ...queries]) {
      if (!node.lookups?.includes(name)) continue;
      const other = sourcesBefore(node.name, { sources, transforms: queries }).find(
        (source) => chainOf(source) !== chain,
      );
      if (other)
        report.error(
          "table-fill",
          node.definition.name.at,
          `${quote(node.name)} looks up rows of ${quote(other.name)} in table ${quote(name)}, which is filled from another chain`,
          { hint: "fill the table from a dataset of the same chain, or in PostgreSQL from outside" },
        );
    }
  }
}

/** The chain of a dataset; `undefined` for an entity, whose changes have no blocks to compare. */
function chainOf({ definition }: PlannedSource): string | undefined {
  if (definition.type !== "dataset") return undefined;
  const { dataset_name: name, version } = definition.settings;
  return pipelineDataset(name?.value ?? "", version?.value).network;
}
