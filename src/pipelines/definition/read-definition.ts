import { quote } from "../../base/text/quote.js";
import { suggest } from "../../base/text/suggest.js";
import type { Report } from "../../compiler/diagnostics/report.js";
import type { LocatedString } from "../../compiler/source/source.js";
import { type Member, member, type ObjectNode, type TreeNode } from "../../compiler/source/tree.js";
import type {
  DefinedPipeline,
  LookupDefinition,
  SinkDefinition,
  SourceDefinition,
  TransformDefinition,
} from "./definition.js";
import { readSettings } from "./read-settings.js";
import { kindOf } from "./read-value.js";
import type { Shape } from "./shape.js";
import {
  longestName,
  lookupShapes,
  missingSinks,
  namePattern,
  sourceShapes,
  topShape,
  transformShapes,
} from "./shapes.js";
import type { DefinedSinkType } from "./sink-type.js";

const parts = ["sources", "transforms", "lookups", "sinks"] as const;

/**
 * Reads a definition of either form from its tree, and reports all mistakes in it.
 * @param sinkTypes the available types of sinks
 * @returns `undefined` after an error that leaves nothing to check
 */
export function readDefinition(
  tree: TreeNode,
  sinkTypes: readonly DefinedSinkType[],
  report: Report,
): DefinedPipeline | undefined {
  if (tree.kind !== "object") {
    report.error("wrong-type", tree.at, `a definition must be a map, not ${kindOf(tree)}`, {
      hint: "write name, sources and sinks",
    });
    return undefined;
  }
  const at = tree.members[0]?.key.at ?? tree.at;
  const top = readSettings(tree, topShape, { at, what: "a definition", others: parts }, report);
  const isPipeline = top.apiVersion !== undefined;
  if (top.apiVersion && top.apiVersion.value !== 3)
    report.error("wrong-value", top.apiVersion.at, "apiVersion must be 3", {
      hint: "write apiVersion: 3 for a pipeline, or leave it out for a stream",
    });
  if (top.name) checkName(top.name, report);
  const sources = nodesOf(tree, "sources", readSource, report);
  const transforms = nodesOf(tree, "transforms", readTransform, report);
  const sinks = nodesOf(tree, "sinks", (entry, node) => readSink(entry, node, sinkTypes, report), report);
  const lookups = nodesOf(tree, "lookups", readLookup, report);
  checkUnique([...sources, ...transforms, ...lookups], report);
  if (!top.name) return undefined;
  return {
    form: isPipeline ? "pipeline" : "stream",
    at,
    name: top.name,
    job: top.job?.value ?? false,
    sources,
    transforms,
    sinks,
    lookups,
    tests: top.tests,
  };
}

function checkName(name: LocatedString, report: Report): void {
  if (namePattern.test(name.value) && name.value.length <= longestName) return;
  const meant = name.value
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "")
    .slice(0, longestName);
  report.error(
    "wrong-value",
    name.at,
    `a name consists of lower-case letters, digits and hyphens, at most ${longestName} of them`,
    { ...(meant !== "" && { hint: `write ${meant}` }) },
  );
}

/** Reads the members of one of the three maps. */
function nodesOf<T>(
  tree: ObjectNode,
  part: (typeof parts)[number],
  read: (entry: Member, node: ObjectNode, report: Report) => T | undefined,
  report: Report,
): readonly T[] {
  const found = member(tree, part);
  const isEmpty =
    found === undefined ||
    found.value.kind === "null" ||
    (found.value.kind === "object" && found.value.members.length === 0);
  if (isEmpty) {
    if (part === "sources" || part === "sinks")
      report.error(
        "missing-key",
        found?.key.at ?? tree.at,
        `a definition requires at least one ${part.replace(/s$/, "")}`,
        {
          hint: `add ${part}:, and below it a name and its settings`,
        },
      );
    return [];
  }
  if (found.value.kind !== "object") {
    report.error(
      "wrong-type",
      found.value.at,
      `${quote(part)} must be a map of names, not ${kindOf(found.value)}`,
    );
    return [];
  }
  return found.value.members.flatMap((entry) => {
    if (entry.value.kind === "object") return read(entry, entry.value, report) ?? [];
    report.error(
      "wrong-type",
      entry.value.at,
      `${quote(entry.key.value)} must be a map of settings, not ${kindOf(entry.value)}`,
    );
    return [];
  });
}

function readSource({ key }: Member, node: ObjectNode, report: Report): SourceDefinition | undefined {
  const type = typeOf(node, key, "source", Object.keys(sourceShapes), report);
  if (type === undefined) return undefined;
  return readNode(type as SourceDefinition["type"], key, node, sourceShapes, "source", report);
}

function readTransform({ key }: Member, node: ObjectNode, report: Report): TransformDefinition | undefined {
  const known = Object.keys(transformShapes);
  // A transform is SQL unless it says otherwise.
  const type =
    member(node, "type") || !member(node, "sql") ? typeOf(node, key, "transform", known, report) : "sql";
  if (type === undefined) return undefined;
  return readNode(type as TransformDefinition["type"], key, node, transformShapes, "transform", report);
}

function readLookup({ key }: Member, node: ObjectNode, report: Report): LookupDefinition | undefined {
  const type = typeOf(node, key, "lookup", Object.keys(lookupShapes), report);
  if (type === undefined) return undefined;
  return readNode(type as LookupDefinition["type"], key, node, lookupShapes, "lookup", report);
}

function readSink(
  { key }: Member,
  node: ObjectNode,
  sinkTypes: readonly DefinedSinkType[],
  report: Report,
): SinkDefinition | undefined {
  const given = member(node, "type")?.value;
  const names = sinkTypes.map(({ name }) => name);
  if (given?.kind === "string" && missingSinks.has(given.value)) {
    report.error("sink-missing", given.at, `this version has no sink ${quote(given.value)}`, {
      hint: `use one of ${names.join(", ")}`,
    });
    return undefined;
  }
  const aliases = sinkTypes.flatMap((one) => one.aliases ?? []);
  const name = typeOf(node, key, "sink", [...names, ...aliases], report);
  const type = sinkTypes.find((one) => one.name === name || one.aliases?.includes(name ?? ""));
  return type && readNode(type.name, key, node, { [type.name]: type.shape }, "sink", report);
}

/** The type that a node names; `undefined` after a reported error. */
function typeOf(
  node: ObjectNode,
  key: LocatedString,
  what: string,
  known: readonly string[],
  report: Report,
): string | undefined {
  const given = member(node, "type")?.value;
  if (given === undefined) {
    report.error("missing-key", key.at, `a ${what} requires "type"`, {
      hint: `add type: ${known.join(", ")}`,
    });
    return undefined;
  }
  if (given.kind !== "string") {
    report.error("wrong-type", given.at, `"type" must be a string, not ${kindOf(given)}`);
    return undefined;
  }
  if (known.includes(given.value)) return given.value;
  const [near] = suggest(given.value, known);
  report.error("wrong-value", given.at, `there is no ${what} of type ${quote(given.value)}`, {
    hint: near === undefined ? `use one of ${known.join(", ")}` : `write ${near}`,
  });
  return undefined;
}

/** The settings of a node, by the shape of its type. */
function readNode<T extends string, N extends { readonly type: T }>(
  type: T,
  name: LocatedString,
  node: ObjectNode,
  shapes: Readonly<Record<T, Shape>>,
  what: string,
  report: Report,
): N {
  const described = { at: name.at, what: `a ${type} ${what}`, others: ["type"] };
  // The shape belongs to the type. The union of definitions expresses that, but a generic function cannot.
  return { type, name, settings: readSettings(node, shapes[type], described, report) } as unknown as N;
}

/** SQL refers to sources and transforms by name, so they share one case-insensitive namespace. */
function checkUnique(nodes: readonly { readonly name: LocatedString }[], report: Report): void {
  const seen = new Map<string, LocatedString>();
  for (const { name } of nodes) {
    const other = seen.get(name.value.toLowerCase());
    if (other === undefined) seen.set(name.value.toLowerCase(), name);
    else
      report.error("duplicate-key", name.at, `two nodes have the name ${quote(name.value)}`, {
        related: [{ at: other.at, text: "the first one" }],
        hint: "rename one of them; SQL does not distinguish case",
      });
  }
}
