import type { ModelField, ModelType, QueryModel } from "./model.js";

/** One value of `orderBy`. */
export interface OrderKey {
  readonly key: string;
  readonly field: ModelField;
  /** The field of the referenced type. */
  readonly child?: ModelField;
}

/** The values of `orderBy` for a type, in graph-node's order. Some of them are refused later. */
export function orderKeys(type: ModelType, model: QueryModel): readonly OrderKey[] {
  const fields = [...type.fields.values()];
  const plain = fields.filter(({ aggregate }) => !aggregate);
  return [...plain, ...fields.filter(({ aggregate }) => aggregate)].flatMap((field) => [
    { key: field.name, field },
    ...childKeys(field, model),
  ]);
}

function childKeys(field: ModelField, model: QueryModel): readonly OrderKey[] {
  if (field.kind !== "reference" || field.list) return [];
  return [...(model.types.get(field.base)?.fields.values() ?? [])]
    .filter((child) => !child.list && child.kind !== "reference")
    .map((child) => ({ key: `${field.name}__${child.name}`, field, child }));
}
