import { SQL, type SqlFragment, type SqlText } from "./database.js";

/** The parameters of a statement under construction. */
export class Parameters {
  readonly #values: SqlText[] = [];

  /** In order. */
  get values(): readonly SqlText[] {
    return this.#values;
  }

  /** Adds a value. @returns its placeholder, with its type */
  bind(value: SqlText, type: SqlFragment): SqlFragment {
    this.#values.push(value);
    return SQL`$${this.#values.length}::${type}`;
  }
}
