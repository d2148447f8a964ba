import type { TransformType } from "../definition/shapes.js";
import type { PlannedTransform } from "../plan/flow-plan.js";
import type { RowTransform } from "./row-transform.js";

/** What transforms need from outside. */
export interface TransformWorld {
  /** The value of a secret; `undefined` if there is none of the name. */
  secret(name: string): string | undefined;
}

/** Opens a transform of one type. @throws TransformError */
type Open = (planned: PlannedTransform, world: TransformWorld) => Promise<RowTransform>;

/** How transforms that are no SQL are opened. Each brings its own libraries, so it is loaded when it is needed. */
const openers: Readonly<Partial<Record<TransformType, () => Promise<Open>>>> = {};

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
  const load = openers[type];
  if (!load) throw new Error(`there is no way to open a transform of type ${type}`);
  const open = await load();
  return open(planned, world);
}
