import { visible } from "../../base/visible.js";
import { countSeverities } from "../../compiler/diagnostics/count-severities.js";
import type { Diagnostic } from "../../compiler/diagnostics/diagnostic.js";
import { renderGithub } from "../../compiler/diagnostics/render-github.js";
import { renderJson } from "../../compiler/diagnostics/render-json.js";
import { renderText } from "../../compiler/diagnostics/render-text.js";
import type { ReportArguments } from "./options.js";
import { count } from "./summary.js";
import type { World } from "./world.js";

/**
 * Prints diagnostics, how many there are and, for people, how to have some of them fixed. As text and for GitHub
 * nothing is printed when there are none; the JSON document is always printed, whole.
 * @param config the configuration as the command line names it; absent for standard input
 */
export function reportDiagnostics(
  diagnostics: readonly Diagnostic[],
  reporting: ReportArguments,
  world: World,
  config?: string,
): void {
  printDiagnostics(diagnostics, reporting, world);
  if (reporting.format === "json" || diagnostics.length === 0) return;
  world.err(`${counted(diagnostics)}\n`);
  if (reporting.format === "text" && config !== undefined) world.err(fixingAdvice(diagnostics, config));
}

/** Prints diagnostics where their format says. */
export function printDiagnostics(
  diagnostics: readonly Diagnostic[],
  { format, color }: ReportArguments,
  world: World,
): void {
  if (format === "json") world.out(renderJson(diagnostics));
  else if (format === "github") world.out(renderGithub(diagnostics));
  else if (diagnostics.length > 0) world.err(`${renderText(diagnostics, { color: color && world.color })}\n`);
}

/** The world of a command: beside a JSON document nothing goes to standard output, so people are told elsewhere. */
export function worldFor({ format }: ReportArguments, world: World): World {
  return format === "json" ? { ...world, out: world.err } : world;
}

/** How many there are of each severity; empty when there are none. */
export function counted(diagnostics: readonly Diagnostic[]): string {
  const { errors, warnings, notes } = countSeverities(diagnostics);
  const counts = [
    [errors, "error"],
    [warnings, "warning"],
    [notes, "note"],
  ] as const;
  return counts.flatMap(([number, noun]) => (number === 0 ? [] : [count(number, noun)])).join(", ");
}

/** How to fix what can be fixed by itself; empty when nothing can. */
function fixingAdvice(diagnostics: readonly Diagnostic[], config: string): string {
  const fixable = diagnostics.filter(({ fix }) => fix !== undefined).length;
  if (fixable === 0) return "";
  const all = diagnostics.length === 1 ? "it" : "all of them";
  const which = fixable === diagnostics.length ? all : `${fixable} of them`;
  return `${which} can be fixed: graphloom check ${visible(config)} --fix\n`;
}
