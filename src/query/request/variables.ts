import {
  type GraphQLInputType,
  type GraphQLSchema,
  isInputType,
  type OperationDefinitionNode,
  typeFromAST,
  type VariableDefinitionNode,
} from "graphql";
import type { Budget, QueryLimits } from "../limits.js";
import { collect, QueryError, QueryErrors } from "../query-error.js";
import { coerce, Misfit } from "./coerce.js";
import { positionOf } from "./position.js";
import { debugText, jsonValue, literalValue, nullValue, type QueryValue, type Variables } from "./values.js";

/**
 * Reads the values of an operation's variables.
 * @param given JSON values by name; undeclared ones are ignored
 * @throws QueryErrors for all values that do not fit
 */
export function variablesOf(
  { variableDefinitions = [] }: OperationDefinitionNode,
  given: Readonly<Record<string, unknown>>,
  schema: GraphQLSchema,
  limits: QueryLimits,
  budget: Budget,
): Variables {
  const errors: QueryError[] = [];
  const variables = new Map<string, QueryValue>();
  for (const definition of variableDefinitions) {
    const name = definition.variable.name.value;
    const json = Object.hasOwn(given, name) ? given[name] : undefined;
    const value = json === undefined ? undefined : jsonValue(json, budget, limits.nesting);
    const found = collect(errors, () => variable(definition, value, schema, budget));
    if (found) variables.set(name, found);
  }
  if (errors.length > 0) throw new QueryErrors(errors);
  return variables;
}

function variable(
  node: VariableDefinitionNode,
  given: QueryValue | undefined,
  schema: GraphQLSchema,
  budget: Budget,
): QueryValue {
  const name = node.variable.name.value;
  const position = positionOf(node);
  const type = inputType(schema, node);
  if (!type) throw new QueryError(`Variable \`${name}\` must have an input type`, { position });
  const initial = node.defaultValue && literalValue(node.defaultValue, new Map(), budget);
  const value = given ?? initial;
  if (!value && node.type.kind !== "NonNullType") return nullValue;
  if (!value) throw new QueryError(`No value provided for required variable \`${name}\``, { position });
  const coerced = coerce(value, type);
  if (!(coerced instanceof Misfit)) return coerced;
  const message = `Invalid value provided for argument \`${name}\`: ${debugText(coerced.value)}`;
  throw new QueryError(message, { position });
}

function inputType(schema: GraphQLSchema, { type }: VariableDefinitionNode): GraphQLInputType | undefined {
  // Each kind of node has a separate overload.
  const found =
    type.kind === "NamedType"
      ? typeFromAST(schema, type)
      : type.kind === "ListType"
        ? typeFromAST(schema, type)
        : typeFromAST(schema, type);
  return isInputType(found) ? found : undefined;
}
