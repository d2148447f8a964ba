import type { Finding } from "../../pipelines/host/pipeline-engine.js";
import { type FieldError, Problem } from "../problem.js";

/** The problem of a definition with mistakes. */
export function invalid(findings: readonly Finding[]): Problem {
  const errors = findings.filter(({ severity }) => severity === "error").map(errorOf);
  const count = errors.length === 1 ? "a mistake" : `${errors.length} mistakes`;
  return new Problem("bad-request", `The definition has ${count}.`, { errors });
}

function errorOf({ field, message, code, line, column, length, hint }: Finding): FieldError {
  return {
    ...(field !== undefined && { field }),
    message,
    code,
    ...(line !== undefined && { line, column, length }),
    ...(hint !== undefined && { hint }),
  };
}
