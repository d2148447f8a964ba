import { printJson } from "../remote/print-json.js";
import type { Terminal } from "../terminal/terminal.js";

/** Prints a value as one document. */
export async function printDocument(
  value: unknown,
  format: "json" | "yaml",
  terminal: Terminal,
): Promise<void> {
  if (format === "json") return printJson(value, terminal);
  const { stringify } = await import("yaml");
  // Long values stay on one line, so that they can be copied.
  terminal.out(stringify(value, { lineWidth: 0 }));
}
