import type { LocatedString, Location } from "./source.js";
import type { StringMap } from "./string-map.js";

/**
 * Makes a string whose parts can be located.
 * @param at location of the whole string, including quotes
 * @param map how its characters map to the source, computed when a part is first requested; or, if the source
 *   contains the string unchanged, its start offset
 */
export function locatedString(value: string, at: Location, map: number | (() => StringMap)): LocatedString {
  let known: StringMap | undefined;
  return {
    value,
    at,
    part(start, end) {
      if (typeof map === "number") {
        const from = Math.max(0, Math.min(start, value.length));
        const to = Math.max(from, Math.min(end, value.length));
        return { ...at, start: map + from, end: map + to };
      }
      known ??= map();
      const [from, to] = known.span(start, end);
      return { ...at, start: from, end: to };
    },
  };
}
