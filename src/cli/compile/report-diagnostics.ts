import { visible } from "../../base/text/visible.js";
import { countSeverities } from "../../compiler/diagnostics/count-severities.js";
import type { Diagnostic } from "../../compiler/diagnostics/diagnostic.js";
import { renderGithub } from "../../compiler/diagnostics/render-github.js";
import { renderJson } from "../../compiler/diagnostics/render-json.js";
import { renderSarif } from "../../compiler/diagnostics/render-sarif.js";
import { renderText } from "../../compiler/diagnostics/render-text.js";
import { count } from "../terminal/count.js";
import type { Terminal } from "../terminal/terminal.js";
import { isDocument, type ReportArguments } from "../terminal/usage/options.js";

/**
 * Prints diagnostics, their number and, for people, how to apply fixes. Without diagnostics, the formats for text
 * and for GitHub print nothing; JSON and SARIF always print the whole document.
 * @param config the configuration as the command line names it; absent for standard input
 */
export function reportDiagnostics(
  diagnostics: readonly Diagnostic[],
  reporting: ReportArguments,
  terminal: Terminal,
  config?: string,
): void {
  printDiagnostics(diagnostics, reporting, terminal);
  if (isDocument(reporting.format) || diagnostics.length === 0) return;
  terminal.err(`${counted(diagnostics)}\n`);
  if (reporting.format === "text" && config !== undefined) terminal.err(fixingAdvice(diagnostics, config));
}

/** How a command shows its results besides diagnostics. */
export interface ResultOutput {
  readonly output: string;
}

/**
 * Prints the diagnostics of a command that may also print a JSON document of results. Standard output gets a
 * single document: the results or, if there will be none, the diagnostics. Text for people goes to standard error.
 * @param hasResults whether there will be results
 */
export function reportCompiled(
  diagnostics: readonly Diagnostic[],
  hasResults: boolean,
  reporting: ReportArguments & ResultOutput,
  terminal: Terminal,
  config?: string,
): void {
  if (reporting.output !== "json") {
    reportDiagnostics(diagnostics, reporting, terminal, config);
    return;
  }
  const isAlone = reporting.format === "json" && !hasResults;
  if (!isAlone) reportDiagnostics(diagnostics, { ...reporting, format: "text" }, terminal, config);
  if (!hasResults) printDiagnostics(diagnostics, { ...reporting, format: "json" }, terminal);
}

/** Prints diagnostics in their format, to the stream of that format. */
export function printDiagnostics(
  diagnostics: readonly Diagnostic[],
  { format, color }: ReportArguments,
  terminal: Terminal,
): void {
  if (format === "json") terminal.out(renderJson(diagnostics));
  else if (format === "sarif") terminal.out(renderSarif(diagnostics));
  else if (format === "github") terminal.out(renderGithub(diagnostics));
  else if (diagnostics.length > 0)
    terminal.err(`${renderText(diagnostics, { color: color && terminal.color })}\n`);
}

/**
 * The terminal of a command whose diagnostics are one document: everything for people goes to standard error.
 */
export function terminalFor({ format }: ReportArguments, terminal: Terminal): Terminal {
  return isDocument(format) ? { ...terminal, out: terminal.err } : terminal;
}

/** The number of diagnostics by severity, in words; empty when there are none. */
export function counted(diagnostics: readonly Diagnostic[]): string {
  const { errors, warnings, notes } = countSeverities(diagnostics);
  const counts = [
    [errors, "error"],
    [warnings, "warning"],
    [notes, "note"],
  ] as const;
  return counts.flatMap(([number, noun]) => (number === 0 ? [] : [count(number, noun)])).join(", ");
}

/** How to apply the fixes; empty when there are none. */
function fixingAdvice(diagnostics: readonly Diagnostic[], config: string): string {
  const fixable = diagnostics.filter(({ fix }) => fix !== undefined).length;
  if (fixable === 0) return "";
  const all = diagnostics.length === 1 ? "it" : "all of them";
  const which = fixable === diagnostics.length ? all : `${fixable} of them`;
  return `${which} can be fixed: graphloom check ${visible(config)} --fix\n`;
}
