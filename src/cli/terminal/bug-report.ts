import { InternalError } from "../../base/invariant.js";

/** The message for a failure that is a bug, with what to report. */
export function bugReport(error: unknown, version: string): string {
  const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const kind = error instanceof InternalError ? "internal error" : "unexpected failure";
  return (
    `${kind} in graphloom ${version}: this is a bug in graphloom, not in your configuration. ` +
    `Please report it with the configuration and these lines:\n${detail}\n`
  );
}
