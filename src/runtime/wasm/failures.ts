import { DeterministicError, RetriedError } from "../errors.js";

/** A mapping aborted: because of an assertion, a `throw`, or the getter of an unset field. */
export class AbortError extends DeterministicError {
  override readonly name = "AbortError";

  /** The message of `abort`, if any. */
  readonly reason: string | undefined;
  /** Path of the AssemblyScript source as the compiler saw it, for example `src/mapping.ts`. */
  readonly file: string | undefined;
  /** From 1; 0 when unknown. */
  readonly line: number;
  readonly column: number;

  constructor(reason: string | undefined, file: string | undefined, line: number, column: number) {
    const place = [file, line > 0 && `line ${line}`, column > 0 && `column ${column}`].filter(Boolean);
    const where = place.length === 0 ? "an unknown location" : place.join(", ");
    const why = reason === undefined ? "no message" : `message: ${reason}`;
    super(`Mapping aborted at ${where}, with ${why}`);
    this.reason = reason;
    this.file = file;
    this.line = line;
    this.column = column;
  }
}

/** A mapping trapped, for example because of an integer division by zero or an access out of bounds. */
export class TrapError extends DeterministicError {
  override readonly name = "TrapError";

  /** The backtrace: names of the functions, innermost first, if the module contains names. */
  readonly functions: readonly string[];

  constructor(cause: Error) {
    const functions = wasmFunctions(cause.stack ?? "");
    const where = functions[0] === undefined ? "" : ` in ${functions[0]}`;
    super(`The mapping trapped${where}: ${cause.message}`, { cause });
    this.functions = functions;
  }
}

/** A handler exceeded a limit for which graph-node's failure is deterministic: steps, memory or log lines. */
export class LimitError extends DeterministicError {
  override readonly name = "LimitError";

  /** @param text what the handler did, for example `logged more than 100,000 lines` */
  constructor(text: string, options?: ErrorOptions) {
    super(`The handler ${text}`, options);
  }
}

/**
 * A handler read contracts, wrote entities or created data sources too often. graph-node does not treat running out of
 * gas in these functions as deterministic.
 */
export class GasError extends RetriedError {
  override readonly name = "GasError";

  /** @param text what the handler did, for example `read contracts more than 199,999 times` */
  constructor(text: string) {
    super(`The handler ${text}`);
  }
}

/**
 * Function names of backtrace lines such as `at src/mapping/handleTransfer
 * (wasm://wasm/0a1b2c3d:wasm-function[12]:0x345)`.
 */
function wasmFunctions(stack: string): readonly string[] {
  return stack.split("\n").flatMap((line) => {
    const [, name = ""] = /^\s*at (.+) \(wasm:\/\//.exec(line) ?? [];
    return name === "" ? [] : [name];
  });
}
