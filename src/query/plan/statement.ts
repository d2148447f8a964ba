import { SQL, type SqlFragment, type SqlText } from "../../store/database/database.js";
import { arrayText } from "../../store/database/sql-array.js";
import { QueryError } from "../query-error.js";

/** Parameters that the database's protocol can count. */
const most = 65_535;

/** A statement that is being written: what comes from clients goes into its parameters. */
export class Statement {
  /** The number of the block that is read at. */
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
   * Puts a value into the parameters.
   * @returns what stands for it in the statement
   * @throws QueryError when a statement cannot have as many
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

  /** Puts a list into the parameters. @param type of its items */
  bindList(values: readonly string[], type: SqlFragment): SqlFragment {
    return this.bind(arrayText(values), SQL`${type}[]`);
  }

  /** A name for rows that nothing else in the statement has. */
  alias(): SqlFragment {
    this.#aliases += 1;
    return SQL`t${this.#aliases}`;
  }

  /** Writes a part; when that fails, its parameters are taken back, since nothing would use them. */
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
