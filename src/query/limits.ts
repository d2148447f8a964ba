import { QueryError } from "./query-error.js";

/** The limits of one request. */
export interface QueryLimits {
  /** Entities of one collection. */
  readonly first: number;
  /** Skipped entities of one collection. */
  readonly skip: number;
  /** Nesting depth of selection sets and fragments. */
  readonly depth: number;
  /** Open braces, brackets and parentheses in the query, and the nesting depth of lists and objects in variables. */
  readonly nesting: number;
  /** Tokens of the query. */
  readonly tokens: number;
  /** Fields after all fragments are expanded, and values in arguments. */
  readonly breadth: number;
  /** Lists and references that one request reads. */
  readonly lists: number;
  /** Lists and references below one field of `Query`, which form one statement. */
  readonly joins: number;
  /** Entities of all lists of `Query` together. */
  readonly rows: number;
  /** The possible number of entities if every collection were full; no limit if missing. */
  readonly complexity?: number;
  /** Bytes of the returned values, and of the values that the database assembles for them. */
  readonly resultBytes: number;
  /** Milliseconds that one statement may take. */
  readonly statementTimeout: number;
  /** Milliseconds after which a request starts no further statements. */
  readonly requestTimeout: number;
}

/** graph-node's limits; where it has none, limits that honest queries do not reach. */
export const defaultLimits: QueryLimits = {
  first: 1000,
  skip: 4294967295,
  depth: 255,
  nesting: 50,
  tokens: 100_000,
  breadth: 20_000,
  lists: 1000,
  joins: 300,
  // Fifty full lists.
  rows: 50_000,
  resultBytes: 64 * 1024 * 1024,
  statementTimeout: 30_000,
  requestTimeout: 30_000,
};

/** Counts the fields and values of a request. */
export class Budget {
  #left: number;
  readonly #limit: number;

  constructor({ breadth }: QueryLimits) {
    this.#limit = breadth;
    this.#left = breadth;
  }

  /** @throws QueryError if the limit is exceeded */
  spend(): void {
    this.#left -= 1;
    if (this.#left < 0) {
      throw new QueryError(
        `the query asks for more than ${this.#limit} fields and values; split it into several queries`,
        { attestable: false },
      );
    }
  }
}
