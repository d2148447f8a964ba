import type { Report } from "../../compiler/diagnostics/report.js";
import type { LocatedString } from "../../compiler/source/source.js";
import { UnknownDatasetError } from "../../datasets/catalog/find-dataset.js";
import type { Dataset } from "../../datasets/tables/dataset.js";
import type { FlowColumn } from "../changes/schema.js";
import type { SourceDefinition } from "../definition/definition.js";
import { flowDataset } from "../definition/flow-dataset.js";
import type { PlannedSource } from "./flow-plan.js";
import type { QueryReader } from "./query-reader.js";

/**
 * Finds out which columns a source has, and creates its table; `undefined` after a reported error.
 * @param isFaulty whether an error of its filter was reported
 */
export async function planSource(
  definition: SourceDefinition,
  isFaulty: boolean,
  reader: QueryReader,
  report: Report,
): Promise<PlannedSource | undefined> {
  const { name, settings } = definition;
  const columns = columnsOf(definition, report);
  if (!columns || isFaulty) return undefined;
  if (!(await reader.createTable(name.value, columns, settings.filter))) return undefined;
  return { name: name.value, definition, schema: { columns, key: ["id"] } };
}

function columnsOf(definition: SourceDefinition, report: Report): readonly FlowColumn[] | undefined {
  if (definition.type === "subgraph_entity") {
    report.error(
      "source-missing",
      definition.name.at,
      "this version cannot read entities of subgraphs in a flow",
      {
        hint: "read a dataset, or use a webhook of the subgraph",
      },
    );
    return undefined;
  }
  const { dataset_name: name, version } = definition.settings;
  if (!name) return undefined;
  const dataset = datasetOf(name, version, report);
  return dataset?.columns.map(({ name: column, type, nullable = false }) => ({
    name: column,
    type,
    nullable,
  }));
}

function datasetOf(
  name: LocatedString,
  version: LocatedString | undefined,
  report: Report,
): Dataset | undefined {
  try {
    return flowDataset(name.value, version?.value).dataset;
  } catch (error) {
    if (!(error instanceof UnknownDatasetError)) throw error;
    const isVersion = version !== undefined && isKnown(name.value);
    report.error("unknown-dataset", isVersion ? version.at : name.at, uncapitalized(error.fact), {
      hint: uncapitalized(error.advice).replace(/\.$/, ""),
    });
    return undefined;
  }
}

function isKnown(name: string): boolean {
  try {
    flowDataset(name);
    return true;
  } catch (error) {
    if (error instanceof UnknownDatasetError) return false;
    throw error;
  }
}

function uncapitalized(sentence: string): string {
  return sentence.charAt(0).toLowerCase() + sentence.slice(1);
}
