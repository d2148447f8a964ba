import { visible } from "../../base/visible.js";

/** The command line asks for something it cannot mean; the message says what to write instead. */
export class UsageError extends Error {
  override readonly name = "UsageError";
  readonly #lines: readonly string[];

  /** @param lines the message, line by line */
  constructor(...lines: readonly string[]) {
    super(lines.join("\n"));
    this.#lines = lines;
  }

  /** The same with another line at its end. */
  ending(line: string): UsageError {
    return new UsageError(...this.#lines, line);
  }

  /** The message as whole lines, safe to print. */
  get text(): string {
    return this.#lines.map((line) => `${visible(line)}\n`).join("");
  }
}
