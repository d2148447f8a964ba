import type { TransformType } from "../definition/shapes.js";
import type { PlannedLookup, PlannedTable, PlannedTransform } from "../plan/pipeline-plan.js";
import type { TableOwner, TableStore } from "./dynamic-table/table-store.js";
import type { LookupTable, RowTable } from "./lookup-table.js";
import type { OpenTransform, PlannedTransformOf, TransformWorld } from "./opening.js";
import type { RowTransform } from "./row-transform.js";

/** How transforms that are not SQL are opened, by type. Each is loaded when it is needed. */
const openers: { readonly [T in TransformType]?: () => Promise<OpenTransform<T>> } = {
  script: async () => (await import("./script/open-script.js")).openScript,
  handler: async () => (await import("./handler/open-handler.js")).openHandler,
};

/**
 * Opens a transform that is not SQL.
 * @throws TransformError
 */
export async function openTransform(planned: PlannedTransform, world: TransformWorld): Promise<RowTransform> {
  const { type } = planned.definition;
  const load = openers[type] as (() => Promise<OpenTransform<TransformType>>) | undefined;
  if (!load) throw new Error(`there is no way to open a transform of type ${type}`);
  const open = await load();
  return open(planned as PlannedTransformOf<TransformType>, world);
}

/**
 * Opens a table that only others fill.
 * @throws SinkError
 */
export async function openTable(planned: PlannedTable, world: TransformWorld): Promise<LookupTable> {
  const { openDynamicTable } = await import("./dynamic-table/open-dynamic-table.js");
  return openDynamicTable(planned, world);
}

/**
 * Opens a table in a database with whose rows queries join.
 * @throws SinkError, TransformError
 */
export async function openLookup(planned: PlannedLookup, world: TransformWorld): Promise<RowTable> {
  const { openRowLookup } = await import("./row-lookup/open-row-lookup.js");
  return openRowLookup(planned, world);
}

/**
 * Opens the store of a table that a query fills; `undefined` for one in memory.
 * @throws SinkError
 */
export async function openTableStore(
  planned: PlannedTable,
  owner: TableOwner,
  world: TransformWorld,
): Promise<TableStore | undefined> {
  if (planned.definition.settings.backend_type?.value !== "Postgres") return undefined;
  const { openDynamicStore } = await import("./dynamic-table/open-dynamic-table.js");
  return openDynamicStore(planned, owner, world);
}
