/** A place in a query. Both numbers count from 1; zero means that the query has no such place. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** The place of an argument whose definition is generated and so has no place in any text. */
export const nowhere: Position = { line: 0, column: 0 };

/** One reason why a query has no answer, in graph-node's words. */
export class QueryError extends Error {
  readonly position: Position | undefined;
  /** The answer depends only on the query and the data, so every indexer would give it. */
  readonly attestable: boolean;

  constructor(
    message: string,
    {
      position,
      attestable = true,
      cause,
    }: { position?: Position; attestable?: boolean; cause?: unknown } = {},
  ) {
    super(message, { cause });
    this.name = "QueryError";
    this.position = position;
    this.attestable = attestable;
  }
}

/** All errors that one step of a request found. */
export class QueryErrors extends Error {
  readonly errors: readonly QueryError[];

  constructor(errors: readonly QueryError[]) {
    super(errors.map(({ message }) => message).join("; "));
    this.name = "QueryErrors";
    this.errors = errors;
  }
}

/** Returns the query errors in a thrown value, and rethrows anything else. */
export function reasonsIn(thrown: unknown): readonly QueryError[] {
  if (thrown instanceof QueryErrors) return thrown.errors;
  if (thrown instanceof QueryError) return [thrown];
  throw thrown;
}

/** Returns the result of a computation, or `undefined` if it failed. Its errors are added to the others. */
export function collect<T>(errors: QueryError[], compute: () => T): T | undefined {
  try {
    return compute();
  } catch (error) {
    errors.push(...reasonsIn(error));
    return undefined;
  }
}
