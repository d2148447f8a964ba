import { member, memberAt, type TreeNode } from "../../compiler/source/tree.js";
import type { Setting, Shape } from "../../pipelines/definition/shape.js";
import { lookupShapes, sourceShapes, topShape, transformShapes } from "../../pipelines/definition/shapes.js";
import { allSinks } from "../../pipelines/sinks/all-sinks.js";
import { textAt } from "../handler-at.js";

/** The maps of nodes in a definition, in the order in which people write them. */
export const parts = ["sources", "transforms", "lookups", "sinks"] as const;
export type Part = (typeof parts)[number];

/** What each part is for: a sentence without a full stop. */
const aboutParts: Readonly<Record<Part, string>> = {
  sources: "where rows come from, by name",
  transforms: "what becomes of rows on their way, by name",
  lookups: "tables in which queries look rows up, by name",
  sinks: "where rows go, by name",
};

/** The settings of the whole definition, with its parts. */
export const topSettings: Shape = {
  ...topShape,
  ...Object.fromEntries(parts.map((part) => [part, { type: "any", describe: aboutParts[part] } as const])),
};

const shapes: Readonly<Record<Part, Readonly<Record<string, Shape>>>> = {
  sources: sourceShapes,
  transforms: transformShapes,
  lookups: lookupShapes,
  sinks: Object.fromEntries(allSinks.map(({ name, shape }) => [name, shape])),
};

const otherTypes: ReadonlyMap<string, string> = new Map(
  allSinks.flatMap(({ name, aliases = [] }) => aliases.map((alias) => [alias, name] as const)),
);

/** The types of a part. */
export function typesOf(part: Part): readonly string[] {
  return Object.keys(shapes[part]);
}

export function isPart(name: string | undefined): name is Part {
  return parts.some((part) => part === name);
}

/** The type of a node: as it says, or SQL, which transforms are unless they say otherwise. */
export function typeOf(part: Part, node: TreeNode): string | undefined {
  const given = textAt(node, "type");
  if (given !== undefined) return otherTypes.get(given) ?? given;
  return part === "transforms" && !member(node, "type") ? "sql" : undefined;
}

/** The settings of the node that a path leads into; only those of its type. */
export function shapeAt(tree: TreeNode, [part, name]: readonly string[]): Shape | undefined {
  if (!isPart(part) || name === undefined) return undefined;
  const node = memberAt(tree, [part, name]);
  const type = node && typeOf(part, node);
  return type !== undefined && Object.hasOwn(shapes[part], type) ? shapes[part][type] : undefined;
}

/** The setting that a path leads to. */
export function settingAt(tree: TreeNode, path: readonly string[]): Setting | undefined {
  const name = path.at(-1) ?? "";
  const shape = path.length === 1 ? topSettings : path.length === 3 ? shapeAt(tree, path) : undefined;
  return shape && Object.hasOwn(shape, name) ? shape[name] : undefined;
}

/** What a setting is for, with its values and its default. */
export function aboutSetting({ describe, required, values, default: usual, idle }: Setting): string {
  const facts = [
    required && "Required.",
    values && `One of ${values.join(", ")}.`,
    usual !== undefined && `${usual} by default.`,
    idle !== undefined && `It has no effect here: ${idle}.`,
  ].filter((fact) => typeof fact === "string");
  return [`${describe.charAt(0).toUpperCase()}${describe.slice(1)}.`, ...facts].join(" ");
}
