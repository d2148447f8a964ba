import type { Diagnostic } from "../diagnostics/diagnostic.js";
import type { Location } from "../source/source.js";

/**
 * Moves diagnostics about a generated text to the user's own input. Drops fixes, because there is no file to
 * apply them to, and merges the duplicates that arise when several contracts share an entry.
 */
export function bringHome(
  diagnostics: readonly Diagnostic[],
  homeOf: (at: Location) => Location,
): readonly Diagnostic[] {
  const home = new Map<string, Diagnostic>();
  for (const { fix: _, at: made, related: others, ...finding } of diagnostics) {
    const at = made && homeOf(made);
    const related = others.map((other) => ({ ...other, at: homeOf(other.at) }));
    const identity = JSON.stringify([finding.code, finding.message, at?.source.path, at?.start, at?.end]);
    if (!home.has(identity)) home.set(identity, { ...finding, related, ...(at && { at }) });
  }
  return [...home.values()];
}
