import type { Compilation } from "../../compiler/compilation.js";
import type { Diagnostic } from "../../compiler/diagnostics/diagnostic.js";
import type { Location } from "../../compiler/source/source.js";
import type { HandlerFailure } from "../../runtime/indexer/failure.js";
import { AbortError } from "../../runtime/wasm/failures.js";
import { expressionsOf } from "./expressions-of.js";

/** The message of the compiled code for a failed `!`. */
const nullReason = "unexpected null";

/** A place in the configuration and its description: `the value of Balance.owner`. */
export interface Blamed {
  readonly at: Location;
  readonly what: string;
}

/**
 * Converts the failure of a handler to a diagnostic. It is at the expression where the mapping aborted, if
 * there is one; otherwise it has no place and lists the handler's expressions.
 */
export function failureDiagnostic(
  chain: string,
  failure: HandlerFailure,
  origins: Compilation["origins"],
): Diagnostic {
  const { error, handler, source, block, transactionHash, logIndex } = failure;
  const blamed = error instanceof AbortError ? blame(error, origins) : undefined;
  const trigger = logIndex === undefined ? "a call" : `the event with log index ${logIndex}`;
  const transaction = transactionHash === undefined ? "" : `, transaction ${transactionHash}, ${trigger}`;
  const where = `block ${block} of ${chain}${transaction}`;
  return {
    code: "handler-failed",
    severity: "error",
    message: blamed ? `a handler failed at ${blamed.what}` : `the handler ${handler} of ${source} failed`,
    ...(blamed && { at: blamed.at, label: reasonOf(error) }),
    related: blamed ? [] : expressionsOf(handler, origins),
    notes: [
      where,
      ...(blamed ? [`the handler is ${handler} of ${source} (${abortPlace(error)})`] : [error.message]),
      `this block was not written; a deployed subgraph ${failure.isDeterministic ? "stops here, too" : "retries it again and again"}`,
    ],
    ...(blamed &&
      reasonOf(error) === nullReason && { hint: "give null a default value, or skip it with a condition" }),
  };
}

/** The mapping's own message. */
function reasonOf(error: Error): string {
  return error instanceof AbortError ? (error.reason ?? "it aborted") : error.message;
}

function abortPlace(error: Error): string {
  return error instanceof AbortError ? `${error.file}:${error.line}:${error.column}` : "";
}

/** The part of an expression at a position in emitted code. */
export function blame(error: AbortError, origins: Compilation["origins"]): Blamed | undefined {
  const { file = "", line, column, reason } = error;
  const origin = origins
    .get(file)
    ?.find((piece) => piece.line === line && column >= piece.column && column < piece.column + piece.length);
  if (!origin) return undefined;
  const { expression, offset, length, what } = origin;
  const start = offset + column - origin.column;
  const rest = expression.value.slice(start, offset + length);
  const width = reason === nullReason ? assertedLength(rest) : rest.length;
  return { at: expression.part(start, start + width), what };
}

/** Length of the operand at the start of a text, including a postfix `!`; the whole length without one. */
function assertedLength(text: string): number {
  let depth = 0;
  for (const { 0: token, index } of text.matchAll(
    /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[([{]|[)\]}]|!(?!=)/g,
  )) {
    if ("([{".includes(token)) depth += 1;
    else if (")]}".includes(token)) depth -= 1;
    else if (token === "!" && depth <= 0) return index + 1;
  }
  return text.length;
}
