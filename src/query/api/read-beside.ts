import {
  type DirectiveDefinitionNode,
  type DocumentNode,
  type InputObjectTypeDefinitionNode,
  type InputValueDefinitionNode,
  Kind,
} from "graphql";
import { nameIn } from "../../subgraph/schema/nodes.js";
import { builtinNames } from "./builtin-types.js";

/** The definitions that clients see besides queryable types. */
export interface Beside {
  readonly inputs: readonly InputObjectTypeDefinitionNode[];
  readonly directives: readonly DirectiveDefinitionNode[];
  /** Whether a value's type is visible. */
  isUsable(value: InputValueDefinitionNode): boolean;
}

/**
 * Reads inputs and directives of an entity schema. Omits definitions that refer to a type hidden from
 * clients, such as the schema's own scalars, or to an omitted definition, because no valid schema could
 * contain them.
 * @param names the names of queryable types and enums
 */
export function readBeside({ definitions }: DocumentNode, names: readonly string[]): Beside {
  let inputs = definitions.filter((node) => node.kind === Kind.INPUT_OBJECT_TYPE_DEFINITION);
  const known = new Set([...builtinNames, ...names, ...inputs.map(({ name }) => name.value)]);
  const isUsable = ({ type }: InputValueDefinitionNode): boolean => known.has(nameIn(type));
  for (let before = -1; before !== inputs.length; ) {
    before = inputs.length;
    const [usable, others] = [true, false].map((wanted) =>
      inputs.filter(({ fields = [] }) => fields.every(isUsable) === wanted),
    );
    for (const { name } of others ?? []) known.delete(name.value);
    inputs = usable ?? [];
  }
  const directives = definitions
    .filter((node) => node.kind === Kind.DIRECTIVE_DEFINITION)
    .filter(({ arguments: given = [] }) => given.every(isUsable));
  return { inputs, directives, isUsable };
}
