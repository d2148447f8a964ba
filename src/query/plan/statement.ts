import { SQL, type SqlFragment, type SqlText } from "../../store/database/database.js";
import { arrayText } from "../../store/database/sql-array.js";
import { QueryError } from "../query-error.js";

/** The maximum number of parameters in the database's protocol. */
const most = 65_535;

/** A statement under construction. Clients' values go into its parameters. */
export class Statement {
  /** The number of the block to read at. */
  readonly block: SqlFragment;
  readonly #parameters: SqlText[] = [];
  #aliases = 0;

  constructor(block: number) {
    this.block = this.bind(String(block), SQL`int4`);
  }

  get parameters(): readonly SqlText[] {
    return this.#parameters;
  }

  /**
   * Adds a parameter.
   * @returns its placeholder in the statement
   * @throws QueryError if a statement cannot have as many
   */
  bind(value: string, type: SqlFragment): SqlFragment {
    if (this.#parameters.length === most) {
      throw new QueryError(`the filters contain more than ${most} values; use \`in\` for lists of values`, {
        attestable: false,
      });
    }
    this.#parameters.push(value);
    return SQL`$${this.#parameters.length}::${type}`;
  }

  /** Adds a list as a parameter. @param type the type of its items */
  bindList(values: readonly string[], type: SqlFragment): SqlFragment {
    return this.bind(arrayText(values), SQL`${type}[]`);
  }

  /** Returns an unused alias for rows. */
  alias(): SqlFragment {
    this.#aliases += 1;
    return SQL`t${this.#aliases}`;
  }

  /** Writes a part. If that fails, its unused parameters are removed. */
  attempt<T>(write: () => T): T {
    const before = this.#parameters.length;
    try {
      return write();
    } catch (error) {
      this.#parameters.length = before;
      throw error;
    }
  }
}
