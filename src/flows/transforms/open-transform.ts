import type { TransformType } from "../definition/shapes.js";
import type { PlannedTransform } from "../plan/flow-plan.js";
import type { OpenTransform, PlannedTransformOf, TransformWorld } from "./opening.js";
import type { RowTransform } from "./row-transform.js";

/** How transforms that are no SQL are opened, by type. Each is loaded when it is needed. */
const openers: { readonly [T in TransformType]?: () => Promise<OpenTransform<T>> } = {
  script: async () => (await import("./script/open-script.js")).openScript,
  handler: async () => (await import("./handler/open-handler.js")).openHandler,
};

/** Types of transforms that this version has. */
export const availableTransforms: ReadonlySet<TransformType> = new Set([
  "sql",
  ...(Object.keys(openers) as TransformType[]),
]);

/**
 * Opens a transform that is no SQL.
 * @throws TransformError
 */
export async function openTransform(planned: PlannedTransform, world: TransformWorld): Promise<RowTransform> {
  const { type } = planned.definition;
  const load = openers[type] as (() => Promise<OpenTransform<TransformType>>) | undefined;
  if (!load) throw new Error(`there is no way to open a transform of type ${type}`);
  const open = await load();
  return open(planned as PlannedTransformOf<TransformType>, world);
}
