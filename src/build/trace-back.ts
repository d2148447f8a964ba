import { InternalError } from "../diagnostics/invariant.js";
import type { Report } from "../diagnostics/report.js";
import type { EmittedFile, Origin } from "../emit/emitted-file.js";
import { type Location, positionAt } from "../source/source.js";
import type { AscMessage, AscPlace } from "./built-wasm.js";
import { fixFor } from "./fixes.js";

/** Translates what the AssemblyScript compiler says of emitted files back to the expressions in the configuration. */
export class TraceBack {
  readonly #files: ReadonlyMap<string, EmittedFile>;
  readonly #report: Report;

  constructor(files: readonly EmittedFile[], report: Report) {
    this.#files = new Map(files.map((file) => [file.path, file]));
    this.#report = report;
  }

  /** Reports a rejected program. */
  rejected(messages: readonly AscMessage[]): void {
    const errors = messages.filter(({ severity }) => severity === "error");
    for (const message of errors) this.#rejectedExpression(message);
    if (errors.length === 0) throw new InternalError("the AssemblyScript compiler failed without saying why");
  }

  /** Reports a crash of the compiler. */
  crashed(message: string, at: AscPlace | undefined): void {
    const found = at && this.#origin(at);
    if (!found && !this.#hasExpressions()) {
      throw new InternalError(`the AssemblyScript compiler crashed${this.#words(at)}: ${message}`);
    }
    this.#report.error(
      "expression-crashes-compiler",
      found?.location,
      `the AssemblyScript compiler crashes on ${found?.origin.what ?? "an expression"}`,
      {
        notes: [`asc: ${message}`],
        hint: "compare with null by === or !==, and shift by .leftShift() and .rightShift()",
      },
    );
  }

  #rejectedExpression({ code, message, at }: AscMessage): void {
    const found = at && this.#origin(at);
    if (found) {
      this.#report.error(
        "expression-type",
        found.location,
        `AssemblyScript rejects ${found.origin.what}: ${message}`,
        { notes: [`asc ${code}${this.#words(at)}`], hint: fixFor(code, message) },
      );
      return;
    }
    if (this.#hasExpressions() && (!at || at.file.startsWith("~lib/"))) {
      this.#report.error("expression-type", undefined, `AssemblyScript rejects an expression: ${message}`, {
        notes: [`asc ${code}${this.#words(at)}, inside a library function that an expression uses`],
      });
      return;
    }
    throw new InternalError(`AssemblyScript rejects generated code: ${code} ${message}${this.#words(at)}`);
  }

  #hasExpressions(): boolean {
    return [...this.#files.values()].some(({ origins }) => origins.length > 0);
  }

  #words(at: AscPlace | undefined): string {
    if (!at) return "";
    const file = this.#files.get(at.file);
    if (!file) return ` at ${at.file}`;
    const { line, column } = positionAt({ path: file.path, text: file.text }, at.start);
    return ` at ${at.file}:${line}:${column}`;
  }

  /** The expression that a span of an emitted file belongs to, and the part of it that the span covers. */
  #origin(at: AscPlace): { readonly origin: Origin; readonly location: Location } | undefined {
    const file = this.#files.get(at.file);
    if (!file) return undefined;
    const starts = lineStarts(file.text);
    const spans = file.origins.map((origin) => {
      const start = (starts[origin.line - 1] ?? 0) + origin.column - 1;
      return { origin, start, end: start + origin.length };
    });
    for (const { origin, start, end } of spans) {
      if (at.start >= end || at.end <= start) continue;
      const from = Math.max(at.start, start) - start;
      const to = Math.min(at.end, end) - start;
      return { origin, location: origin.expression.part(origin.offset + from, origin.offset + to) };
    }
    // The compiler may blame what stands right before the expression, or right behind it: all of it is meant then.
    const near = spans.find(({ start, end }) =>
      at.end <= start
        ? /^[\s=(]*$/.test(file.text.slice(at.end, start))
        : /^[\s;),]*$/.test(file.text.slice(end, at.start)),
    );
    return near && { origin: near.origin, location: wholeExpression(file, near.origin) };
  }
}

function wholeExpression({ origins }: EmittedFile, { expression, what }: Origin): Location {
  const pieces = origins.filter((origin) => origin.expression === expression && origin.what === what);
  const from = Math.min(...pieces.map(({ offset }) => offset));
  const to = Math.max(...pieces.map(({ offset, length }) => offset + length));
  return expression.part(from, to);
}

function lineStarts(text: string): readonly number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}
