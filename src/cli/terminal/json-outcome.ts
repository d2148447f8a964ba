import { visibleJson } from "../../base/text/visible.js";
import { exitCodes } from "./exit-codes.js";
import type { Terminal } from "./terminal.js";

/** Whether a command line asks for its results as one JSON document. */
export function wantsJson(argv: readonly string[]): boolean {
  const end = argv.indexOf("--");
  const options = end === -1 ? argv : argv.slice(0, end);
  return options.some(
    (word, index) =>
      /^--output(?:-?[Ff]ormat)?=json$/.test(word) ||
      (/^--output(?:-?[Ff]ormat)?$/.test(word) && options[index + 1] === "json"),
  );
}

/**
 * Runs a command in JSON mode, so that standard output always has one JSON document: when the command fails
 * without printing one, the document holds the messages of standard error.
 * @returns the exit code
 */
export async function withJsonOutcome(
  terminal: Terminal,
  command: (terminal: Terminal) => Promise<number>,
): Promise<number> {
  let said = "";
  let isPrinted = false;
  const code = await command({
    ...terminal,
    out(text) {
      isPrinted ||= text !== "";
      terminal.out(text);
    },
    err(text) {
      said += text;
      terminal.err(text);
    },
    passing: terminal.passing ?? terminal.err,
  });
  if (code === exitCodes.clean || isPrinted) return code;
  const message = said.trimEnd() || (code === exitCodes.interrupted ? "interrupted" : "failed");
  const document = { error: { message, exit_code: code } };
  terminal.out(`${visibleJson(JSON.stringify(document, null, 2))}\n`);
  return code;
}
