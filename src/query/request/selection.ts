import type { GraphQLField } from "graphql";
import type { Budget } from "../limits.js";
import { type Position, QueryError } from "../query-error.js";
import type { QueryValue } from "./values.js";

/** A selected field, one for each response key. */
export interface SelectedField {
  /** The response key. */
  readonly key: string;
  readonly name: string;
  readonly position: Position;
  readonly definition: GraphQLField<unknown, unknown>;
  /** Arguments by name, converted to the schema's types, with defaults. */
  readonly args: ReadonlyMap<string, QueryValue>;
  /** The selection below it; missing for a leaf. */
  readonly selection: Selection | undefined;
}

/**
 * A selection on objects: fields by response key for each possible object type. Several types share one selection below
 * a field, because copies of copies would grow without bounds. Only merged selections are copied first.
 */
export class Selection {
  readonly #fields: ReadonlyMap<string, Map<string, SelectedField>>;
  readonly #budget: Budget;
  /** The selections copied here, which no other code shares. */
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

  /** The fields in response order. */
  fieldsOf(type: string): readonly SelectedField[] {
    return [...(this.#fields.get(type)?.values() ?? [])];
  }

  /**
   * Adds a field. A field with the same key is merged: the first one's arguments count, and subfields are combined.
   * @throws QueryError if the two differ otherwise
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
