import type { Setting, Shape } from "./shape.js";
import { longestName, lookupShapes, namePattern, sourceShapes, topShape, transformShapes } from "./shapes.js";
import type { DefinedSinkType } from "./sink-type.js";

export type JsonSchema = Readonly<Record<string, unknown>>;

/** A value from a variable may become anything. */
const variable = { type: "string", pattern: "\\$\\{[A-Za-z_][A-Za-z0-9_]*\\}" };
const wholeNumber = { type: "integer", minimum: 0 };
const digits = { type: "string", pattern: "^\\d+$" };

/**
 * The JSON Schema of a form of definitions, for editors: names, types, values and explanations of all settings. What
 * depends on other parts of the definition, such as names of columns, is left to `pipeline validate`.
 * @param sinkTypes the available types of sinks
 */
export function definitionSchema(
  form: "pipeline" | "stream",
  sinkTypes: readonly DefinedSinkType[],
): JsonSchema {
  const isPipeline = form === "pipeline";
  const { apiVersion, name, ...others } = topShape;
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $id: `urn:graphloom:schemas:${form}`,
    title: isPipeline ? "graphloom pipeline, apiVersion 3" : "graphloom stream",
    description: "Where rows come from, what becomes of them, and where they go.",
    type: "object",
    required: ["name", ...(isPipeline ? ["apiVersion"] : []), "sources", "sinks"],
    additionalProperties: false,
    properties: {
      name: {
        ...described(name),
        anyOf: [{ type: "string", pattern: namePattern.source, maxLength: longestName }, variable],
      },
      ...(isPipeline && { apiVersion: { ...described(apiVersion), const: 3 } }),
      ...propertiesOf(others),
      sources: nodes("where rows come from, by name", sourceShapes),
      transforms: {
        ...nodes("what becomes of rows on their way, by name", transformShapes, "sql"),
        type: ["object", "null"],
      },
      lookups: {
        ...nodes("tables in which queries look rows up, by name", lookupShapes),
        type: ["object", "null"],
        minProperties: 0,
      },
      sinks: nodes("where rows go, by name", shapesByName(sinkTypes)),
    },
  };
}

/** The shapes of sinks, also by their other names. */
function shapesByName(sinkTypes: readonly DefinedSinkType[]): Readonly<Record<string, Shape>> {
  return Object.fromEntries([
    ...sinkTypes.map(({ name, shape }) => [name, shape] as const),
    ...sinkTypes.flatMap(({ aliases = [], shape }) => aliases.map((alias) => [alias, shape] as const)),
  ]);
}

/** A map of nodes, each with the settings of its type. @param usual the type of a node that names none */
function nodes(describe: string, shapes: Readonly<Record<string, Shape>>, usual?: string): JsonSchema {
  const types = Object.keys(shapes);
  return {
    description: sentence(describe),
    type: "object",
    ...(usual === undefined && { minProperties: 1 }),
    additionalProperties: {
      type: "object",
      required: usual === undefined ? ["type"] : [],
      properties: { type: { description: "What it is.", enum: types } },
      allOf: Object.entries(shapes).map(([type, shape]) => ({
        if: {
          properties: { type: { const: type } },
          ...(type !== usual && { required: ["type"] }),
        },
        // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
        then: {
          properties: { type: true, ...propertiesOf(shape) },
          required: requiredOf(shape),
          additionalProperties: false,
        },
      })),
    },
  };
}

function propertiesOf(shape: Shape): JsonSchema {
  return Object.fromEntries(
    Object.entries(shape).map(([name, setting]) => [name, { ...described(setting), ...accepted(setting) }]),
  );
}

function requiredOf(shape: Shape): readonly string[] {
  return Object.entries(shape).flatMap(([name, { required }]) => (required ? [name] : []));
}

function described({ describe, default: usual }: Setting): JsonSchema {
  return { description: sentence(describe), ...(usual !== undefined && { default: usual }) };
}

/** The values that `readValue` accepts. */
function accepted({ type, values }: Setting): JsonSchema {
  switch (type) {
    case "string":
      return values ? { anyOf: [{ enum: values }, variable] } : { type: ["string", "number", "boolean"] };
    case "boolean":
      return { anyOf: [{ type: "boolean" }, { enum: ["true", "false"] }, variable] };
    case "count":
      return { anyOf: [wholeNumber, digits, variable] };
    case "duration":
      return {
        anyOf: [wholeNumber, { type: "string", pattern: "^\\d+(\\.\\d+)?\\s*(ms|s|m|h)?$" }, variable],
      };
    case "start":
      return { anyOf: [{ enum: ["earliest", "latest"] }, wholeNumber, digits, variable] };
    case "names":
      return { anyOf: [{ type: "string" }, { type: "array", items: { type: "string" } }] };
    case "strings":
      return { type: "object", additionalProperties: { type: "string" } };
    case "overrides":
      return { type: "object", additionalProperties: { type: ["string", "null"] } };
    case "any":
      return {};
  }
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
