import { type DocumentNode, type FragmentDefinitionNode, Kind, type OperationDefinitionNode } from "graphql";
import type { ApiSchema } from "../api/api-schema.js";
import { Budget, type QueryLimits } from "../limits.js";
import { QueryError, QueryErrors } from "../query-error.js";
import { checkExtent, unknownNames } from "./check-extent.js";
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

/**
 * Limits how many lists and references a request reads. Each is work for the database, however little it returns.
 * @throws QueryError if there are too many
 */
function checkBreadth(
  fields: readonly SelectedField[],
  { lists, joins }: Pick<QueryLimits, "lists" | "joins">,
): void {
  let all = 0;
  for (const field of fields) {
    const left = { joins };
    countBelow(field, left);
    if (left.joins < 0) throw tooMany(`\`${field.key}\` reads more than ${joins} lists and references`);
    all += joins - left.joins + 1;
  }
  if (all > lists) throw tooMany(`the query reads more than ${lists} lists and references`);
}

function tooMany(what: string): QueryError {
  return new QueryError(`${what}; split it into several queries`, { attestable: false });
}

/** Counts until there are too many. Fields below an interface count for each of its types. */
function countBelow({ selection }: SelectedField, left: { joins: number }): void {
  for (const type of selection?.types ?? []) {
    for (const field of selection?.fieldsOf(type) ?? []) {
      if (!field.selection || left.joins < 0) continue;
      left.joins -= 1;
      countBelow(field, left);
    }
  }
}

/**
 * Limits the rows that the lists in `Query` of a request ask for together. Lists inside of lists are hardly ever full, so the
 * size of the answer and the time of a statement limit them.
 * @throws QueryError if it asks for too many
 */
function checkRows(fields: readonly SelectedField[], { rows }: Pick<QueryLimits, "rows">): void {
  const asked = fields.reduce((sum, field) => sum + most(field), 0);
  if (asked <= rows) return;
  throw new QueryError(
    `the lists of the query ask for ${asked} entities, and may ask for ${rows} together; use a smaller \`first\`, or split it into several queries`,
    { attestable: false },
  );
}

/** The most entities that a field reads itself. */
function most({ definition, args }: SelectedField): number {
  if (!definition.args.some(({ name }) => name === "first")) return 1;
  const first = args.get("first");
  // A value that no list may have is refused later.
  return first?.kind === "Int" ? Math.max(0, Number(first.value)) : 100;
}
