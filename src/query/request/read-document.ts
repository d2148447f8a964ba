import { type DocumentNode, type FragmentDefinitionNode, Kind, type OperationDefinitionNode } from "graphql";
import type { ApiSchema } from "../api/api-schema.js";
import { Budget, type QueryLimits } from "../limits.js";
import { QueryError, QueryErrors } from "../query-error.js";
import { checkBreadth } from "./check-breadth.js";
import { checkExtent, unknownNames } from "./check-extent.js";
import { checkRows } from "./check-rows.js";
import { Expansion } from "./expand.js";
import type { SelectedField } from "./selection.js";
import { variablesOf } from "./variables.js";

/** The parts of a request besides the query. */
export interface GivenBeside {
  /** JSON, by name. */
  readonly variables: Readonly<Record<string, unknown>>;
  /** Selects one of several operations; otherwise ignored, as in graph-node. */
  readonly operationName?: string | undefined;
}

/**
 * Reads a GraphQL request in graph-node's order, which decides the errors that a client sees.
 * @param given the parts of the request besides the query
 * @returns the selected fields of `Query`
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
  // The contents of a fragment count at every spread, so each walk over them is bounded separately.
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
  const read = fields.filter(({ name }) => api.root.has(name));
  checkBreadth(read, limits);
  checkRows(read, limits);
  return fields;
}

/** The only operation, or the named one if all have names. */
function operationIn({ definitions }: DocumentNode, name: string | undefined): OperationDefinitionNode {
  const operations = definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION);
  const areNamed = operations.every((each) => each.name);
  const meant =
    operations.length > 1 && areNamed ? operations.filter((each) => each.name?.value === name) : operations;
  const [operation, ...others] = meant;
  if (!operation || others.length > 0) throw new QueryError("Operation name required");
  return operation;
}

/** Of several with one name, the last counts. */
function fragmentsOf({ definitions }: DocumentNode): Map<string, FragmentDefinitionNode> {
  const fragments = definitions.filter((node) => node.kind === Kind.FRAGMENT_DEFINITION);
  return new Map(fragments.map((fragment) => [fragment.name.value, fragment]));
}
