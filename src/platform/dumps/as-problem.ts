import { DumpError, DumpReplacedError } from "../../dumps/dump-error.js";
import { NoRestoreError } from "../../dumps/receive-restore.js";
import { Problem } from "../problem.js";

/** @returns a Problem for what is wrong with a dump or a restore, or the error itself if it is none of the request */
export function asProblem(error: unknown): unknown {
  if (error instanceof DumpReplacedError) return new Problem("conflict", error.message);
  if (error instanceof NoRestoreError) return new Problem("not-found", `${error.message}.`);
  if (!(error instanceof DumpError)) return error;
  const { message, hint } = error;
  return new Problem("unprocessable", hint === undefined ? `${message}.` : `${message}. ${hint}`);
}
