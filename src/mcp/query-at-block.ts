import { GraphQLError, Kind, parse, print, visit } from "graphql";
import { nestsDeeper } from "../base/text/json-depth.js";
import { ToolRefusal } from "./tool.js";

/** Deeper queries are refused before they are parsed. */
const deepest = 64;

/**
 * Lets all fields of a query read one block: adds the argument `block` to every field of its operations that has none.
 * @param block the number of a block; without it, the query stays as it is
 * @throws ToolRefusal for what is not a GraphQL query
 */
export function queryAtBlock(query: string, block: number | undefined): string {
  if (block === undefined) return query;
  if (nestsDeeper(query, deepest)) throw new ToolRefusal(`The query has more than ${deepest} levels.`);
  const document = parsed(query);
  const argument = {
    kind: Kind.ARGUMENT,
    name: { kind: Kind.NAME, value: "block" },
    value: {
      kind: Kind.OBJECT,
      fields: [
        {
          kind: Kind.OBJECT_FIELD,
          name: { kind: Kind.NAME, value: "number" },
          value: { kind: Kind.INT, value: String(block) },
        },
      ],
    },
  } as const;
  const at = visit(document, {
    FragmentSpread(_node, _key, _parent, _path, ancestors) {
      if (levelOf(ancestors) > 0) return;
      throw new ToolRefusal(
        "With a block, name the fields of the query itself, without a fragment around them.",
      );
    },
    Field(node, _key, _parent, _path, ancestors) {
      const isOfQuery = levelOf(ancestors) === 0 && isOfOperation(ancestors);
      if (!isOfQuery || node.name.value.startsWith("__")) return undefined;
      const given = node.arguments ?? [];
      if (given.some(({ name }) => name.value === "block")) return undefined;
      return { ...node, arguments: [...given, argument] };
    },
  });
  return print(at);
}

type Ancestors = readonly (unknown | readonly unknown[])[];

/** How many fields are around a node. */
function levelOf(ancestors: Ancestors): number {
  return ancestors.filter((one) => kindOf(one) === Kind.FIELD).length;
}

function isOfOperation(ancestors: Ancestors): boolean {
  return ancestors.some((one) => kindOf(one) === Kind.OPERATION_DEFINITION);
}

function kindOf(node: unknown): unknown {
  return typeof node === "object" && node !== null && "kind" in node ? node.kind : undefined;
}

function parsed(query: string) {
  try {
    return parse(query, { maxTokens: 10_000 });
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
    throw new ToolRefusal(`The query is not valid GraphQL: ${error.message}`);
  }
}
