import type { GraphQLField } from "graphql";
import type { Budget } from "../limits.js";
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

/**
 * What is asked for of objects: fields by key, for each object type that can come. What several types have below a field
 * is one and the same, since copies of copies would grow without bounds; only what is merged is copied first.
 */
export class Selection {
  readonly #fields: ReadonlyMap<string, Map<string, SelectedField>>;
  readonly #budget: Budget;
  /** What was copied here, and is nobody else's. */
  readonly #own = new WeakSet<Selection>();

  /**
   * @param types names of object types
   * @param budget is spent with every field of every type
   */
  constructor(types: Iterable<string>, budget: Budget) {
    this.#fields = new Map([...types].map((type) => [type, new Map()]));
    this.#budget = budget;
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
    this.#budget.spend();
    const fields = this.#fields.get(type);
    if (!fields) return;
    const known = fields.get(field.key);
    if (!known) fields.set(field.key, field);
    else if (field.selection) {
      if (!known.selection) throw unexpectedType(field.selection.types[0] ?? field.name);
      fields.set(field.key, { ...known, selection: this.#merged(known.selection, field.selection) });
    }
  }

  #merged(selection: Selection, other: Selection): Selection {
    if (selection === other) return selection;
    const own = this.#own.has(selection) ? selection : selection.#copy();
    this.#own.add(own);
    for (const type of other.types) {
      if (!own.#fields.has(type)) throw unexpectedType(type);
      for (const field of other.fieldsOf(type)) own.add(type, field);
    }
    return own;
  }

  #copy(): Selection {
    const copied = new Selection(this.types, this.#budget);
    for (const type of this.types) for (const field of this.fieldsOf(type)) copied.add(type, field);
    return copied;
  }
}

function unexpectedType(type: string): QueryError {
  return new QueryError(
    `invalid query: can not merge fields because type \`${type}\` showed up unexpectedly`,
    { attestable: false },
  );
}
