import {
  type DirectiveNode,
  type FieldNode,
  type GraphQLArgument,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isLeafType,
  isNonNullType,
  type SelectionSetNode,
} from "graphql";
import { present } from "../../base/invariant.js";
import type { Budget } from "../limits.js";
import { collect, nowhere, QueryError, QueryErrors } from "../query-error.js";
import { type Fragments, fragmentNamed } from "./check-extent.js";
import { coerce, Misfit } from "./coerce.js";
import { concreteTypes, fieldOf } from "./fields.js";
import { positionOf } from "./position.js";
import { type SelectedField, Selection } from "./selection.js";
import { debugText, literalValue, type QueryValue, type Variables } from "./values.js";

/** Expands fragments and variables, and converts arguments to the schema's types. */
export class Expansion {
  readonly #schema: GraphQLSchema;
  readonly #fragments: Fragments;
  readonly #variables: Variables;
  readonly #budget: Budget;

  constructor(schema: GraphQLSchema, fragments: Fragments, variables: Variables, budget: Budget) {
    this.#schema = schema;
    this.#fragments = fragments;
    this.#variables = variables;
    this.#budget = budget;
  }

  /**
   * Reads a selection on objects of a type.
   * @throws QueryErrors for the first field with invalid arguments, and for fields that cannot be merged
   */
  of(node: SelectionSetNode, type: GraphQLNamedType): Selection {
    const types = concreteTypes(this.#schema, type);
    const selection = new Selection(types, this.#budget);
    this.#into(selection, node, type, types, new Set());
    return selection;
  }

  #into(
    selection: Selection,
    { selections }: SelectionSetNode,
    type: GraphQLNamedType,
    types: readonly string[],
    spread: Set<string>,
  ): void {
    for (const node of selections) {
      // Fields count at each place where a fragment inserts them.
      if (node.kind !== "Field") this.#budget.spend();
      if (node.kind === "Field") {
        if (node.name.value !== "__typename" && this.#isLeftOut(node)) continue;
        const field = this.#field(node, type);
        if (field) for (const one of types) selection.add(one, field);
      } else if (node.kind === "InlineFragment") {
        if (!this.#isLeftOut(node)) {
          this.#fragment(selection, node.typeCondition?.name.value, node.selectionSet, type, types, spread);
        }
      } else if (!spread.has(node.name.value)) {
        spread.add(node.name.value);
        const fragment = fragmentNamed(this.#fragments, node.name.value);
        // Like graph-node, reads directives on the fragment's definition, not on its spread.
        if (this.#isLeftOut(fragment)) continue;
        this.#fragment(
          selection,
          fragment.typeCondition.name.value,
          fragment.selectionSet,
          type,
          types,
          spread,
        );
      }
    }
  }

  #fragment(
    selection: Selection,
    condition: string | undefined,
    node: SelectionSetNode,
    type: GraphQLNamedType,
    types: readonly string[],
    spread: Set<string>,
  ): void {
    const narrowed = condition === undefined ? type : this.#schema.getType(condition);
    if (!narrowed) return;
    const fitting = new Set(concreteTypes(this.#schema, narrowed));
    const left = types.filter((one) => fitting.has(one));
    if (left.length > 0) this.#into(selection, node, narrowed, left, spread);
  }

  #isLeftOut({ directives }: { readonly directives?: readonly DirectiveNode[] | undefined }): boolean {
    return (directives ?? []).some(({ name, arguments: args }) => {
      if (name.value !== "skip" && name.value !== "include") return false;
      const given = args?.find((argument) => argument.name.value === "if")?.value;
      const value = given && literalValue(given, this.#variables, this.#budget);
      const holds = value === undefined || (value.kind === "Boolean" && value.value);
      return holds === (name.value === "skip");
    });
  }

  /** `undefined` if an object is selected without subfields. */
  #field(node: FieldNode, type: GraphQLNamedType): SelectedField | undefined {
    const name = node.name.value;
    const definition = present(
      fieldOf(this.#schema, type, name),
      `${type.name}.${name} was looked up before`,
    );
    const below = getNamedType(definition.type);
    if (!isLeafType(below) && !node.selectionSet) return undefined;
    const args = this.#arguments(definition.args, node);
    return {
      key: node.alias?.value ?? name,
      name,
      position: positionOf(node),
      definition,
      args,
      selection: node.selectionSet && !isLeafType(below) ? this.of(node.selectionSet, below) : undefined,
    };
  }

  #arguments(definitions: readonly GraphQLArgument[], node: FieldNode): Map<string, QueryValue> {
    const errors: QueryError[] = [];
    const args = new Map<string, QueryValue>();
    for (const definition of definitions) {
      const given = node.arguments?.findLast(({ name }) => name.value === definition.name)?.value;
      const value = collect(errors, () =>
        argument(definition, given && literalValue(given, this.#variables, this.#budget)),
      );
      if (value) args.set(definition.name, value);
    }
    if (errors.length > 0) throw new QueryErrors(errors);
    return args;
  }
}

function argument(
  { name, type, defaultValue }: GraphQLArgument,
  given: QueryValue | undefined,
): QueryValue | undefined {
  if (given === undefined) {
    if (defaultValue !== undefined) return initialValue(defaultValue);
    if (!isNonNullType(type)) return undefined;
    throw new QueryError(`No value provided for required argument: \`${name}\``, { position: nowhere });
  }
  const coerced = coerce(given, type);
  if (!(coerced instanceof Misfit)) return coerced;
  const message = `Invalid value provided for argument \`${name}\`: ${debugText(coerced.value)}`;
  throw new QueryError(message, { position: nowhere });
}

/** Defaults are numbers, names or booleans. */
function initialValue(value: unknown): QueryValue {
  if (typeof value === "number") return { kind: "Int", value: BigInt(value) };
  if (typeof value === "boolean") return { kind: "Boolean", value };
  return { kind: "Enum", value: String(value) };
}
