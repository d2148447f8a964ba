/** A place in a query; both count from 1. Zero stands for a place that the query does not have. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** Of an argument whose definition is generated, so that no text has a place for it. */
export const nowhere: Position = { line: 0, column: 0 };

/** One reason why a query has no answer, in the words clients of graph-node know. */
export class QueryError extends Error {
  readonly position: Position | undefined;
  /** The answer follows from the query and the data alone, so that every indexer would give it. */
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

/** All reasons that one step of a request found. */
export class QueryErrors extends Error {
  readonly errors: readonly QueryError[];

  constructor(errors: readonly QueryError[]) {
    super(errors.map(({ message }) => message).join("; "));
    this.name = "QueryErrors";
    this.errors = errors;
  }
}

/** The reasons in what was thrown; what is none of ours is thrown again. */
export function reasonsIn(thrown: unknown): readonly QueryError[] {
  if (thrown instanceof QueryErrors) return thrown.errors;
  if (thrown instanceof QueryError) return [thrown];
  throw thrown;
}

/** What a computation gives, or nothing when it failed with errors that are put to the others. */
export function collect<T>(errors: QueryError[], compute: () => T): T | undefined {
  try {
    return compute();
  } catch (error) {
    errors.push(...reasonsIn(error));
    return undefined;
  }
}
