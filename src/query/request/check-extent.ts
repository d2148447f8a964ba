import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isListType,
  type SelectionNode,
  type SelectionSetNode,
} from "graphql";
import type { Budget, QueryLimits } from "../limits.js";
import { QueryError } from "../query-error.js";
import { fieldOf } from "./fields.js";
import { positionOf } from "./position.js";

/** The fragments of a request by name. */
export type Fragments = ReadonlyMap<string, FragmentDefinitionNode>;

/** The fragment that a spread names. @throws QueryError if there is none */
export function fragmentNamed(fragments: Fragments, name: string): FragmentDefinitionNode {
  const found = fragments.get(name);
  if (!found) throw new QueryError(`fragment \`${name}\` is not defined`);
  return found;
}

/** graph-node counts entities in 64 bits. A negative `first` counts as the number with the same bits. */
const mostCounted = 2n ** 64n - 1n;

/**
 * Limits the depth of a request and the number of possible entities. As in graph-node, this comes before arguments are
 * read, and only the depth counts in a request with an unknown field.
 * @throws QueryError if a limit is exceeded, or a fragment contains itself
 */
export function checkExtent({ root, fragments, schema }: Extent, limits: QueryLimits, budget: Budget): void {
  const walk = new ExtentWalk(fragments, schema, limits, budget);
  const count = walk.entities(root, schema.getQueryType(), 0, new Set());
  if (walk.isInvalid) return;
  if (count > mostCounted) throw tooMany(mostCounted, 0);
  const { complexity } = limits;
  if (complexity !== undefined && count > complexity) throw tooMany(count, complexity);
}

function tooMany(count: bigint, limit: number): QueryError {
  return new QueryError(
    `query potentially returns \`${count}\` entities or more and thereby exceeds the limit of ` +
      `\`${limit}\` entities. Possible solutions are reducing the depth of the query, ` +
      "querying fewer relationships or using `first` to return smaller collections",
    { attestable: false },
  );
}

/** The request and its limits. */
export interface Extent {
  readonly root: SelectionSetNode;
  readonly fragments: Fragments;
  readonly schema: GraphQLSchema;
}

type MaybeType = GraphQLNamedType | null | undefined;

class ExtentWalk {
  readonly #fragments: Fragments;
  readonly #schema: GraphQLSchema;
  readonly #limits: QueryLimits;
  readonly #budget: Budget;
  /** Whether the request selects something of a field that the schema lacks. */
  isInvalid = false;

  constructor(fragments: Fragments, schema: GraphQLSchema, limits: QueryLimits, budget: Budget) {
    this.#fragments = fragments;
    this.#schema = schema;
    this.#limits = limits;
    this.#budget = budget;
  }

  /** The number of entities that a selection could return. */
  entities(
    { selections }: SelectionSetNode,
    type: MaybeType,
    depth: number,
    inside: ReadonlySet<string>,
  ): bigint {
    if (depth >= this.#limits.depth) {
      const message = `query has a depth that exceeds the limit of \`${this.#limits.depth}\``;
      throw new QueryError(message, { attestable: false });
    }
    let total = 0n;
    for (const selection of selections) {
      this.#budget.spend();
      total += this.#ofOne(selection, type, depth, inside);
    }
    return total;
  }

  #ofOne(selection: SelectionNode, type: MaybeType, depth: number, inside: ReadonlySet<string>): bigint {
    if (selection.kind === "Field") return this.#ofField(selection, type, depth, inside);
    if (selection.kind === "InlineFragment") {
      const condition = selection.typeCondition && this.#schema.getType(selection.typeCondition.name.value);
      return this.entities(selection.selectionSet, condition ?? type, depth + 1, inside);
    }
    const name = selection.name.value;
    if (inside.has(name)) throw new QueryError(`query has fragment cycle including \`${name}\``);
    const { selectionSet, typeCondition } = fragmentNamed(this.#fragments, name);
    const condition = this.#schema.getType(typeCondition.name.value);
    return this.entities(selectionSet, condition, depth + 1, new Set([...inside, name]));
  }

  #ofField(node: FieldNode, type: MaybeType, depth: number, inside: ReadonlySet<string>): bigint {
    if (!node.selectionSet) return 0n;
    const field = type ? fieldOf(this.#schema, type, node.name.value) : undefined;
    if (!field) this.isInvalid = true;
    const below = field && getNamedType(field.type);
    const children = this.entities(node.selectionSet, below, depth + 1, inside);
    if (!field || !isListType(getNullableType(field.type))) return children;
    const first = node.arguments?.find(({ name }) => name.value === "first")?.value;
    const most = first?.kind === "IntValue" ? BigInt.asUintN(64, BigInt(first.value)) : 100n;
    return most + most * children;
  }
}

/** Looks up every field and type condition. @returns the errors, in the order of the text */
export function unknownNames({ root, fragments, schema }: Extent, budget: Budget): readonly QueryError[] {
  const errors: QueryError[] = [];
  const look = ({ selections }: SelectionSetNode, type: GraphQLNamedType): void => {
    for (const selection of selections) {
      budget.spend();
      if (selection.kind === "Field") lookAtField(selection, type);
      else if (selection.kind === "FragmentSpread") {
        const { typeCondition, selectionSet } = fragmentNamed(fragments, selection.name.value);
        lookInside(typeCondition.name.value, selectionSet);
      } else if (selection.typeCondition) {
        lookInside(selection.typeCondition.name.value, selection.selectionSet);
      } else look(selection.selectionSet, type);
    }
  };
  const lookInside = (condition: string, selectionSet: SelectionSetNode): void => {
    const type = schema.getType(condition);
    if (type) look(selectionSet, type);
    else errors.push(new QueryError(`Failed to resolve named type \`${condition}\``));
  };
  const lookAtField = (node: FieldNode, type: GraphQLNamedType): void => {
    const field = fieldOf(schema, type, node.name.value);
    if (!field) {
      const message = `Type \`${type.name}\` has no field \`${node.name.value}\``;
      errors.push(new QueryError(message, { position: positionOf(node) }));
      return;
    }
    const below = getNamedType(field.type);
    if (node.selectionSet && "getFields" in below) look(node.selectionSet, below);
  };
  const query = schema.getQueryType();
  if (query) look(root, query);
  return errors;
}
