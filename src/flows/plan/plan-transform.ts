import type { Report } from "../../compiler/diagnostics/report.js";
import type { FlowColumn, FlowSchema } from "../changes/schema.js";
import { checkKey } from "./check-key.js";
import type { PlannedSource, PlannedTransform } from "./flow-plan.js";
import type { ReadTransform } from "./order-transforms.js";
import type { QueryReader } from "./query-reader.js";

/**
 * Finds out which columns a transform makes; `undefined` after a reported error, and when something that it reads has one.
 * @param before sources and transforms that come before it
 */
export async function planTransform(
  { definition, reads, query }: ReadTransform,
  before: readonly (PlannedSource | PlannedTransform)[],
  reader: QueryReader,
  report: Report,
): Promise<PlannedTransform | undefined> {
  if (!reads.every((name) => before.some((node) => node.name === name))) return undefined;
  if (definition.type !== "sql") {
    report.error(
      "transform-missing",
      definition.name.at,
      `this version has no transform of type ${definition.type}`,
      {
        hint: "write a transform of type sql",
      },
    );
    return undefined;
  }
  const name = definition.name.value;
  const columns = query && (await reader.createView(name, query));
  if (!columns) return undefined;
  const key = checkKey(definition.settings.primary_key ?? [], columns, report);
  return key && { name, definition, reads, schema: schemaOf(columns, key) };
}

function schemaOf(columns: readonly FlowColumn[], key: readonly string[]): FlowSchema {
  return { columns, key };
}
