import { QueryError } from "./query-error.js";

/** What one request may ask for. */
export interface QueryLimits {
  /** Entities of one collection. */
  readonly first: number;
  /** Entities of one collection that are passed over. */
  readonly skip: number;
  /** Selection sets and fragments inside each other. */
  readonly depth: number;
  /** Braces, brackets and parentheses open at once in the text, and lists and objects inside each other in variables. */
  readonly nesting: number;
  /** Words and signs of the text. */
  readonly tokens: number;
  /** Fields after all fragments are put in, and values in arguments. */
  readonly breadth: number;
  /** Lists and references that one request reads. */
  readonly lists: number;
  /** Those of them below one field of `Query`, which are one statement. */
  readonly joins: number;
  /** Entities that could come back, were every collection as long as it may be; nothing for no limit. */
  readonly complexity?: number;
  /** Bytes of the values that come back, and of those that the database puts together for it. */
  readonly resultBytes: number;
  /** Milliseconds that one statement may take. */
  readonly statementTimeout: number;
  /** Milliseconds after which no statement of a request is begun. */
  readonly requestTimeout: number;
}

/** graph-node's limits where it has any; where it has none, what an honest query does not reach. */
export const defaultLimits: QueryLimits = {
  first: 1000,
  skip: 4294967295,
  depth: 255,
  nesting: 50,
  tokens: 100_000,
  breadth: 20_000,
  lists: 1000,
  joins: 300,
  resultBytes: 64 * 1024 * 1024,
  statementTimeout: 30_000,
  requestTimeout: 30_000,
};

/** Counts what a request asks for. */
export class Budget {
  #left: number;
  readonly #limit: number;

  constructor({ breadth }: QueryLimits) {
    this.#limit = breadth;
    this.#left = breadth;
  }

  /** @throws QueryError when more is asked for than may be */
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
