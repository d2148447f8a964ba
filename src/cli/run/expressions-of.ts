import type { Compilation } from "../../compiler/compilation.js";
import type { RelatedPlace } from "../../compiler/diagnostics/diagnostic.js";

/** More than these would not help to find the one. */
const mostPlaces = 6;

/** Where the expressions of a handler stand in the configuration; none when there are many. */
export function expressionsOf(handler: string, origins: Compilation["origins"]): readonly RelatedPlace[] {
  const places = new Map<string, RelatedPlace>();
  for (const { handler: evaluating, expression, what } of [...origins.values()].flat()) {
    if (evaluating !== handler) continue;
    const at = expression.part(0, expression.value.length);
    places.set(`${at.source.path} ${at.start}`, { at, text: `perhaps here: ${what}` });
  }
  return places.size > mostPlaces ? [] : [...places.values()];
}
