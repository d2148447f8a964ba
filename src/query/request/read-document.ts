import { type DocumentNode, type FragmentDefinitionNode, Kind, type OperationDefinitionNode } from "graphql";
import type { ApiSchema } from "../api/api-schema.js";
import { Budget, type QueryLimits } from "../limits.js";
import { QueryError, QueryErrors } from "../query-error.js";
import { checkBreadth } from "./check-breadth.js";
import { checkExtent, unknownNames } from "./check-extent.js";
import { Expansion } from "./expand.js";
import type { SelectedField } from "./selection.js";
import { variablesOf } from "./variables.js";

/** What a request has beside its text. */
export interface GivenBeside {
  /** JSON, by name. */
  readonly variables: Readonly<Record<string, unknown>>;
  /** Which of several operations is meant; otherwise it is ignored, as graph-node does. */
  readonly operationName?: string | undefined;
}

/**
 * Reads a request that is GraphQL, in graph-node's order, which decides what errors a client sees.
 * @param given what a request has beside its text
 * @returns the fields of `Query` that are asked for
 * @throws QueryError, QueryErrors
 */
export function readDocument(
  document: DocumentNode,
  { variables: given, operationName }: GivenBeside,
  api: ApiSchema,
  limits: QueryLimits,
): readonly SelectedField[] {
  const operation = operationIn(document, operationName);
  const { schema } = api;
  // What fragments bring in counts wherever it is spread, so that each walk over them is bounded by itself.
  const budget = new Budget(limits);
  const values = variablesOf(operation, given, schema, limits, budget);
  if (operation.operation !== "query") {
    const name = operation.operation === "mutation" ? "Mutations" : "Subscriptions";
    throw new QueryError(`Not supported: ${name} are not supported`);
  }
  const fragments = fragmentsOf(document);
  const extent = { root: operation.selectionSet, fragments, schema };
  checkExtent(extent, limits, new Budget(limits));
  const unknown = unknownNames(extent, new Budget(limits));
  if (unknown.length > 0) throw new QueryErrors(unknown);
  const expansion = new Expansion(schema, fragments, values, budget);
  const fields = expansion.of(operation.selectionSet, api.query).fieldsOf(api.query.name);
  checkBreadth(
    fields.filter(({ name }) => api.root.has(name)),
    limits,
  );
  return fields;
}

/** The only operation, or the one of a name where all have names. */
function operationIn({ definitions }: DocumentNode, name: string | undefined): OperationDefinitionNode {
  const operations = definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION);
  const areNamed = operations.every((each) => each.name);
  const meant =
    operations.length > 1 && areNamed ? operations.filter((each) => each.name?.value === name) : operations;
  const [operation, ...others] = meant;
  if (!operation || others.length > 0) throw new QueryError("Operation name required");
  return operation;
}

/** Of several with one name the last stays. */
function fragmentsOf({ definitions }: DocumentNode): Map<string, FragmentDefinitionNode> {
  const fragments = definitions.filter((node) => node.kind === Kind.FRAGMENT_DEFINITION);
  return new Map(fragments.map((fragment) => [fragment.name.value, fragment]));
}
