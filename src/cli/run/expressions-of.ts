import type { Compilation } from "../../compiler/compilation.js";
import type { RelatedPlace } from "../../compiler/diagnostics/diagnostic.js";

/** Limit of the listed expressions; a longer list would not help to find the right one. */
const mostPlaces = 6;

/** The positions of a handler's expressions in the configuration; none beyond the limit. */
export function expressionsOf(handler: string, origins: Compilation["origins"]): readonly RelatedPlace[] {
  const places = new Map<string, RelatedPlace>();
  for (const { handler: evaluating, expression, what } of [...origins.values()].flat()) {
    if (evaluating !== handler) continue;
    const at = expression.part(0, expression.value.length);
    places.set(`${at.source.path} ${at.start}`, { at, text: `possibly here: ${what}` });
  }
  return places.size > mostPlaces ? [] : [...places.values()];
}
