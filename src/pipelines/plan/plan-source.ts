import { uncapitalized } from "../../base/text/uncapitalized.js";
import type { Report } from "../../compiler/diagnostics/report.js";
import type { LocatedString } from "../../compiler/source/source.js";
import { UnknownDatasetError } from "../../datasets/catalog/find-dataset.js";
import { LogDecoder } from "../../datasets/rows/decoded-rows.js";
import type { Dataset } from "../../datasets/tables/dataset.js";
import type { SourceDefinition } from "../definition/definition.js";
import { pipelineDataset } from "../definition/pipeline-dataset.js";
import { chainColumn } from "../sources/entities/entity-columns.js";
import { abiEntries, abiFault } from "../sql/decoding.js";
import type { PlannedSource } from "./pipeline-plan.js";
import { planTopic, replacesRows } from "./plan-topic.js";
import type { QueryReader } from "./query-reader.js";
import type { SubgraphCatalog, UnreadSubgraphs } from "./subgraph-catalog.js";

/**
 * Determines the columns of a source, and creates its table.
 * @param filter whether an error in its filter was reported, the contracts that it names, and the dynamic tables in
 * which it looks values up
 * @returns `undefined` after a reported error; `unread` for an entity whose subgraphs could not be looked up
 */
export async function planSource(
  definition: SourceDefinition,
  { isFaulty, ...filter }: { readonly isFaulty: boolean } & Pick<PlannedSource, "addresses" | "lookups">,
  reader: QueryReader,
  subgraphs: SubgraphCatalog | UnreadSubgraphs,
  report: Report,
): Promise<PlannedSource | "unread" | undefined> {
  const { name, settings } = definition;
  const found = await schemaOf(definition, subgraphs, report);
  if (found === undefined || found === "unread") return found;
  if (isFaulty || !(await reader.createTable(name.value, found.schema.columns, settings.filter)))
    return undefined;
  return { name: name.value, definition, ...filter, ...found };
}

async function schemaOf(
  definition: SourceDefinition,
  subgraphs: SubgraphCatalog | UnreadSubgraphs,
  report: Report,
): Promise<Pick<PlannedSource, "schema" | "entity" | "decoder" | "replaces"> | "unread" | undefined> {
  if (definition.type === "subgraph_entity") {
    // It brings the parser of subgraph schemas, which most definitions do without.
    const { planEntity } = await import("./plan-entity.js");
    const entity = await planEntity(definition, subgraphs, report);
    if (entity === undefined || entity === "unread") return entity;
    const columns = entity.columns.map(({ name, type, nullable }) => ({ name, type, nullable }));
    // Entities of several chains may have the same ids.
    const key = entity.parts.length > 1 ? [chainColumn, "id"] : ["id"];
    return { schema: { columns, key }, entity };
  }
  if (definition.type === "kafka") {
    const schema = planTopic(definition, report);
    return schema && { schema, ...(replacesRows(definition) && { replaces: true }) };
  }
  const { dataset_name: name, version, abi } = definition.settings;
  const dataset = name && datasetOf(name, version, report);
  if (!name || !dataset || !isDecodable(dataset, name, abi, report)) return undefined;
  const columns = dataset.columns.map(({ name: column, type, nullable = false }) => ({
    name: column,
    type,
    nullable,
  }));
  const decoder = abi && new LogDecoder([{ abi: abiEntries(abi.value) }]);
  return { schema: { columns, key: ["id"] }, ...(decoder && { decoder }) };
}

function datasetOf(
  name: LocatedString,
  version: LocatedString | undefined,
  report: Report,
): Dataset | undefined {
  try {
    const { dataset, instead } = pipelineDataset(name.value, version?.value);
    if (version && instead)
      report.note(
        "other-version",
        version.at,
        `version ${instead.version} is read in place of ${version.value}`,
        {
          hint: instead.isNewer
            ? "it has the same rows and more columns"
            : `graphloom dataset get ${name.value} shows its columns`,
        },
      );
    return dataset;
  } catch (error) {
    if (!(error instanceof UnknownDatasetError)) throw error;
    const isVersion = version !== undefined && isKnown(name.value);
    report.error("unknown-dataset", isVersion ? version.at : name.at, uncapitalized(error.fact), {
      hint: uncapitalized(error.advice).replace(/\.$/, ""),
    });
    return undefined;
  }
}

/** Whether the source has an ABI if its dataset requires one, and only then. */
function isDecodable(
  { kind, needs }: Dataset,
  name: LocatedString,
  abi: LocatedString | undefined,
  report: Report,
): boolean {
  const isNeeded = needs.includes("ABI");
  const fault = abi && abiFault(abi.value);
  if (isNeeded && !abi)
    report.error("missing-key", name.at, `${kind} requires "abi", since there is no collection of all ABIs`, {
      hint: "add abi: with the events to decode, or read raw_logs and decode them with evm_log_decode(abi, topics, data)",
    });
  else if (abi && !isNeeded)
    report.error("unknown-key", abi.at, `${kind} has no use for an ABI`, {
      hint: "leave it out, or read decoded_logs",
    });
  else if (abi && fault !== undefined)
    report.error("wrong-value", abi.at, fault, {
      hint: "write the ABI as a list in JSON, or as entries such as event Sent(address to)",
    });
  return isNeeded === (abi !== undefined) && fault === undefined;
}

function isKnown(name: string): boolean {
  try {
    pipelineDataset(name);
    return true;
  } catch (error) {
    if (error instanceof UnknownDatasetError) return false;
    throw error;
  }
}
