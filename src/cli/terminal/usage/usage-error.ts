import { visible } from "../../../base/text/visible.js";

/** The command line is wrong; the message says what to write instead. */
export class UsageError extends Error {
  override readonly name = "UsageError";
  readonly #lines: readonly string[];

  /** @param lines lines of the message */
  constructor(...lines: readonly string[]) {
    super(lines.join("\n"));
    this.#lines = lines;
  }

  /** A copy with another line at its end. */
  ending(line: string): UsageError {
    return new UsageError(...this.#lines, line);
  }

  /** The message as whole lines, control characters escaped. */
  get text(): string {
    return this.#lines.map((line) => `${visible(line)}\n`).join("");
  }
}
