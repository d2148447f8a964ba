import { certificateAdvice, certificateFaultOf } from "../../../base/certificate-fault.js";
import { messageOf } from "../../../base/text/message-of.js";
import { visible } from "../../../base/text/visible.js";
import { DatabaseError } from "../database.js";
import { hints } from "../hints.js";

const sqlState = /^[0-9A-Z]{5}$/;

/** Converts an error of the client or the server to a DatabaseError. */
export function databaseErrorOf(error: unknown): DatabaseError {
  if (error instanceof DatabaseError) return error;
  const fault = certificateFaultOf(error);
  if (fault)
    return new DatabaseError(
      `the database cannot be reached: its certificate ${fault.words}`.replace(/\.$/, ""),
      { hint: certificateAdvice(fault, trustWords), cause: error },
    );
  if (isWithoutTls(error))
    return new DatabaseError("the database cannot be reached: the server does not encrypt connections", {
      hint: "Turn on ssl in the server's configuration. sslmode=disable sends everything readable, the password too.",
      cause: error,
    });
  const { code: raw, hint: told } = (error ?? {}) as { readonly code?: unknown; readonly hint?: unknown };
  const code = typeof raw === "string" ? raw : "";
  const hint =
    (demandsTls(error) ? tlsDemanded : hints.get(code)) ?? (typeof told === "string" ? told : undefined);
  const isAnswer = sqlState.test(code);
  const text = visible(reasonOf(error));
  return new DatabaseError(isAnswer ? text : `the database cannot be reached: ${text}`, {
    ...(isAnswer && { code }),
    ...(hint !== undefined && { hint }),
    cause: error,
  });
}

const trustWords = { authorities: "sslrootcert", unchecked: "sslmode=require" };

const tlsDemanded =
  "The server takes encrypted connections only. Write sslmode=verify-full, which checks the server's certificate, or sslmode=require, which does not.";

/** Whether the server answers that it has no TLS. The client shows it only by this message. */
function isWithoutTls(error: unknown): boolean {
  return error instanceof Error && error.message === "The server does not support SSL connections";
}

/** Whether the server refuses a connection because it is plain text. */
function demandsTls(error: unknown): boolean {
  const { code, message } = (error ?? {}) as { readonly code?: unknown; readonly message?: unknown };
  return code === "28000" && typeof message === "string" && /, no encryption$/.test(message);
}

/** Whether a database could not be opened because its server has no TLS. */
export function lacksTls(error: unknown): boolean {
  return error instanceof DatabaseError && isWithoutTls(error.cause);
}

/**
 * Whether the other of plain text and encryption may succeed: the handshake failed, or pg_hba.conf has no matching
 * line.
 */
export function wantsOtherWay(error: unknown): boolean {
  if (!(error instanceof DatabaseError)) return false;
  const { code, cause } = error;
  const why = (cause as { readonly code?: unknown } | undefined)?.code;
  const isHandshake = typeof why === "string" && /^(?:EPROTO|ERR_SSL_|ERR_TLS_)/.test(why);
  return code === "28000" || isWithoutTls(cause) || isHandshake;
}

/** Failures of several addresses of a host arrive as one error without a message. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === "") {
    return error.errors.map(reasonOf).join(", ");
  }
  // The client parses the address when it connects.
  if ((error as { readonly code?: unknown } | undefined)?.code === "ERR_INVALID_URL")
    return "its address cannot be read";
  return messageOf(error);
}
