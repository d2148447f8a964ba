import type { Diagnostic } from "../diagnostics/diagnostic.js";
import type { Location } from "../source/source.js";

/**
 * Moves findings about a text that was made to what the user wrote instead. Fixes are dropped: there is no file to make
 * them in. What then says the same about the same place, because several contracts share an entry, is kept once.
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
