import { certificateFaultOf } from "../../../base/certificate-fault.js";
import { DatabaseError } from "../../../store/database/database.js";
import { SinkError } from "../../state/sink-error.js";

/** Errors that the rows did not cause: connections, resources, transactions, shutdown, a full database. */
const temporary = /^(?:(?:08|53|57|40|55)...$|25006$|E[A-Z]{4,})/;

/** The SQLSTATE of a write to a database that is currently read-only. */
const readOnly = "25006";
const whyReadOnly = "The database is a standby, or larger than it may be";

/**
 * SQLSTATE classes of errors that a row may cause: values, constraints, view checks, row limits, errors raised by
 * triggers, and codes that users define.
 */
const unfit = /^(?:22|23|44|45|54|P0|[I-OQ-WYZ])/;

/** Converts a database's error to a sink error; returns other errors unchanged. */
export function sinkErrorOf(error: unknown): unknown {
  if (!(error instanceof DatabaseError)) return error;
  const { code, message, hint = code === readOnly ? whyReadOnly : undefined } = error;
  const isUntrusted = certificateFaultOf(error) !== undefined;
  const isTemporary = !isUntrusted && (code === undefined || temporary.test(code));
  return new SinkError(hint === undefined ? message : `${message}. ${hint}`, isTemporary, { cause: error });
}

/** Whether an error may be about a row. */
export function isUnfit(error: unknown): error is DatabaseError & { readonly code: string } {
  return error instanceof DatabaseError && unfit.test(error.code ?? "");
}
