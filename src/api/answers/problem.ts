import { visible } from "../../base/text/visible.js";
import { type ChangeFailure, type ChangeOutcome, outcomeOfStatus } from "../../web/http/change-outcome.js";
import { type AnyOperationId, methodOf } from "../operation-method.js";

/** A field that the API refused. */
export interface FieldProblem {
  readonly field?: string;
  readonly message: string;
  /** Of a definition: the code that `graphloom explain` explains, the place in its text from 1, and what to do. */
  readonly code?: string;
  readonly line?: number;
  readonly column?: number;
  readonly length?: number;
  readonly hint?: string;
}

/** A problem document (RFC 9457), shortened; foreign text. */
export interface ProblemDetails {
  /** HTTP status of the response, whatever the document says. */
  readonly status: number;
  readonly title: string;
  readonly detail?: string;
  /** URI of the problem's type, or `about:blank`. */
  readonly type: string;
  readonly instance?: string;
  readonly errors: readonly FieldProblem[];
  /** Whether the body was a web page, usually from a proxy in front of the API that knows none of its resources. */
  readonly isPage?: boolean;
  readonly operation: AnyOperationId;
  readonly attempts: number;
  /** Milliseconds that the API asks clients to wait. */
  readonly retryAfter?: number;
}

/** The API refused an operation. The message is one line that is safe to show; the rest is foreign text. */
export class ApiProblem extends Error implements ProblemDetails, ChangeFailure {
  override readonly name = "ApiProblem";

  readonly status: number;
  readonly title: string;
  readonly detail?: string;
  readonly type: string;
  readonly instance?: string;
  readonly errors: readonly FieldProblem[];
  readonly isPage: boolean;
  readonly operation: AnyOperationId;
  readonly attempts: number;
  readonly retryAfter?: number;

  constructor(details: ProblemDetails) {
    const { status, title, detail, operation } = details;
    super(visible(`${operation}: ${title} (${status})${detail === undefined ? "" : `: ${detail}`}`));
    this.status = status;
    this.title = title;
    if (detail !== undefined) this.detail = detail;
    this.type = details.type;
    if (details.instance !== undefined) this.instance = details.instance;
    this.errors = details.errors;
    this.isPage = details.isPage === true;
    this.operation = operation;
    this.attempts = details.attempts;
    if (details.retryAfter !== undefined) this.retryAfter = details.retryAfter;
  }

  get outcome(): ChangeOutcome {
    return methodOf(this.operation) === "GET" ? "undone" : outcomeOfStatus(this.status);
  }
}

/** Renders a problem for people, in several lines that are safe to show. */
export function renderProblem(problem: ApiProblem): string {
  const { title, status, attempts, detail, errors } = problem;
  const times = attempts > 1 ? `, after ${attempts} attempts` : "";
  const lines = [
    `${title} (${status}${times})`,
    ...(detail === undefined ? [] : [`  ${detail}`]),
    ...errors.map(({ field, message }) => `  ${field === undefined ? "" : `${field}: `}${message}`),
    ...linkOf(problem),
    ...adviceFor(problem),
  ];
  return `${lines.map(visible).join("\n")}\n`;
}

/** For operations that cannot be done, the page adds nothing to the detail. */
function linkOf({ type, detail }: ApiProblem): string[] {
  const url = URL.canParse(type) ? new URL(type) : undefined;
  if (detail !== undefined && url?.pathname.endsWith("/unprocessable")) return [];
  return url?.protocol === "https:" || url?.protocol === "http:" ? [`  see ${url.href}`] : [];
}

function adviceFor({ status, retryAfter, detail = "" }: ApiProblem): string[] {
  // The server has already said so.
  if (detail.includes("graphloom login")) return [];
  if (status === 401) return ["Log in with `graphloom login`. An API key belongs to one project."];
  if (status === 403) {
    return [
      "Your role or plan does not allow this. An API key belongs to one project. To use another account, run `graphloom login`.",
    ];
  }
  if (retryAfter !== undefined && retryAfter > 0)
    return [`The API asks you to wait ${duration(retryAfter)}.`];
  return [];
}

function duration(milliseconds: number): string {
  const seconds = Math.ceil(milliseconds / 1000);
  return seconds < 120 ? `${seconds} s` : `${Math.ceil(seconds / 60)} minutes`;
}
