/** A field that a request has wrong. */
export interface FieldError {
  readonly field?: string;
  readonly message: string;
}

/** Thrown by the management server's operations: becomes a problem document. */
export class Problem extends Error {
  readonly status: number;
  readonly slug: string;
  readonly title: string;
  readonly errors: readonly FieldError[] | undefined;

  constructor(status: number, slug: string, title: string, detail: string, errors?: readonly FieldError[]) {
    super(detail);
    this.status = status;
    this.slug = slug;
    this.title = title;
    this.errors = errors;
  }
}

/** Status 400 with the fields that are wrong. */
export function badRequest(...errors: FieldError[]): Problem {
  const fields = errors.map(({ field }) => field ?? "the request").join(", ");
  return new Problem(400, "validation-failed", "Validation failed", `Correct ${fields}.`, errors);
}

/** Status 404 for a subgraph, a version or a tag. */
export function notFound(what: string): Problem {
  return new Problem(404, "subgraph-not-found", "Subgraph not found", `There is no subgraph "${what}".`);
}

/** Status 409. */
export function conflict(detail: string): Problem {
  return new Problem(409, "conflict", "Conflict", detail);
}

/** Status 422. */
export function unprocessable(detail: string): Problem {
  return new Problem(422, "unprocessable", "Unprocessable", detail);
}
