import type { GraphQLField } from "graphql";
import { type Position, QueryError } from "../query-error.js";
import type { QueryValue } from "./values.js";

/** A field that is asked for, once for each key of the answer. */
export interface SelectedField {
  /** In the answer. */
  readonly key: string;
  readonly name: string;
  readonly position: Position;
  readonly definition: GraphQLField<unknown, unknown>;
  /** By name, as the schema has them, with their defaults. */
  readonly args: ReadonlyMap<string, QueryValue>;
  /** What is asked for below it; nothing of a leaf. */
  readonly selection: Selection | undefined;
}

/** What is asked for of objects: fields by key, for each object type that can come. */
export class Selection {
  readonly #fields: ReadonlyMap<string, Map<string, SelectedField>>;

  /** @param types names of object types */
  constructor(types: Iterable<string>) {
    this.#fields = new Map([...types].map((type) => [type, new Map()]));
  }

  get types(): readonly string[] {
    return [...this.#fields.keys()];
  }

  /** In the order of the answer. */
  fieldsOf(type: string): readonly SelectedField[] {
    return [...(this.#fields.get(type)?.values() ?? [])];
  }

  /**
   * Asks for one more field. One of the same key is merged: the first has the say, and is asked for what either is.
   * @throws QueryError when the two have other things below them
   */
  add(type: string, field: SelectedField): void {
    const fields = this.#fields.get(type);
    if (!fields) return;
    const known = fields.get(field.key);
    if (!known) fields.set(field.key, { ...field, selection: field.selection?.copy() });
    else if (field.selection && known.selection) known.selection.merge(field.selection);
    else if (field.selection) refuse(field.selection);
  }

  copy(): Selection {
    const copied = new Selection(this.types);
    copied.merge(this);
    return copied;
  }

  /** Asks for what another asks for. @throws QueryError when the other is of objects of another type */
  merge(other: Selection): void {
    for (const type of other.types) {
      if (!this.#fields.has(type)) refuseType(type);
      for (const field of other.fieldsOf(type)) this.add(type, field);
    }
  }
}

function refuse({ types: [type = "?"] }: Selection): never {
  return refuseType(type);
}

function refuseType(type: string): never {
  throw new QueryError(
    `invalid query: can not merge fields because type \`${type}\` showed up unexpectedly`,
    { attestable: false },
  );
}
