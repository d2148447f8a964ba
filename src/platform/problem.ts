import { TooMuchWaitingError } from "../base/turns/fair-turns.js";
import { ShortOfMemoryError } from "../base/turns/memory-guard.js";
import { DatabaseError } from "../store/database/database.js";

/** An error in a field of a request. */
export interface FieldError {
  /** `definition.sources`; absent if the whole part is wrong. */
  readonly field?: string;
  readonly message: string;
  /** For a definition: the code for `graphloom explain`, the place in its text from 1, and a remedy. */
  readonly code?: string;
  readonly line?: number;
  readonly column?: number;
  readonly length?: number;
  readonly hint?: string;
}

/** The types of refusals. Each type ends the address of the page that explains it. */
export const problemTypes = {
  "bad-request": { status: 400, title: "Bad request" },
  unauthorized: { status: 401, title: "Unauthorized" },
  forbidden: { status: 403, title: "Forbidden" },
  "not-found": { status: 404, title: "Not found" },
  "subgraph-not-found": { status: 404, title: "Subgraph not found" },
  "webhook-not-found": { status: 404, title: "Webhook not found" },
  "pipeline-not-found": { status: 404, title: "Pipeline not found" },
  "edge-endpoint-not-found": { status: 404, title: "Edge endpoint not found" },
  "secret-not-found": { status: 404, title: "Secret not found" },
  "project-not-found": { status: 404, title: "Project not found" },
  "method-not-allowed": { status: 405, title: "Method not allowed" },
  conflict: { status: 409, title: "Conflict" },
  "too-large": { status: 413, title: "Too large" },
  "unsupported-media-type": { status: 415, title: "Unsupported media type" },
  misdirected: { status: 421, title: "Misdirected request" },
  unprocessable: { status: 422, title: "Unprocessable" },
  "in-use": { status: 422, title: "In use" },
  "rate-limited": { status: 429, title: "Rate limited" },
  internal: { status: 500, title: "Internal error" },
  "not-there-yet": { status: 501, title: "Not implemented yet" },
  unavailable: { status: 503, title: "Unavailable" },
} as const satisfies Readonly<Record<string, { readonly status: number; readonly title: string }>>;

export type ProblemType = keyof typeof problemTypes;

/** The refusal of a request. Routes throw it, and the server answers with its document (RFC 9457). */
export class Problem extends Error {
  override readonly name = "Problem";
  readonly type: ProblemType;
  readonly errors: readonly FieldError[];
  /** Seconds after which the client may retry. */
  readonly retryAfter: number | undefined;

  /** @param detail a sentence with the problem and a remedy */
  constructor(
    type: ProblemType,
    detail: string,
    {
      errors = [],
      retryAfter,
      cause,
    }: { errors?: readonly FieldError[]; retryAfter?: number; cause?: unknown } = {},
  ) {
    super(detail, { cause });
    this.type = type;
    this.errors = errors;
    this.retryAfter = retryAfter;
  }

  get status(): number {
    return problemTypes[this.type].status;
  }
}

/** The document of a problem. @param instance path of the request @param base address of the server */
export function problemDocument(
  problem: Problem,
  instance: string,
  base: string,
): Readonly<Record<string, unknown>> {
  const { title, status } = problemTypes[problem.type];
  return {
    type: `${base}/api/errors/${problem.type}`,
    title,
    status,
    detail: problem.message,
    instance,
    ...(problem.status === 400 && { errors: problem.errors }),
  };
}

/** Whether an error is not about the request, but about an overloaded server or project, or a database in trouble. */
export function isBusy(error: unknown): boolean {
  return (
    error instanceof TooMuchWaitingError ||
    error instanceof ShortOfMemoryError ||
    error instanceof DatabaseError
  );
}
