import { escapeReserved } from "./reserved-words.js";

/**
 * Tells equal names apart the peer's way: `f`, `f1`, `f2` in order of appearance, reserved words with their `_`.
 * The results may still clash (`f`, `f`, `f1`); `makeBindable` sees to that.
 */
export function numberNames(names: readonly string[]): string[] {
  const seen = new Map<string, number>();
  return names.map((name) => {
    const safe = escapeReserved(name);
    const before = seen.get(safe) ?? 0;
    seen.set(safe, before + 1);
    return before === 0 ? safe : `${safe}${before}`;
  });
}

/**
 * The names a list of inputs or outputs has in a binding.
 * @param unnamed what the unnamed are called, followed by their position
 */
export function parameterNames(names: readonly string[], unnamed: "param" | "value"): string[] {
  return numberNames(names.map((name, at) => name || `${unnamed}${at}`));
}

/** The names the components of a struct have in a binding: the peer neither numbers nor escapes them. */
export function componentNames(names: readonly string[]): string[] {
  return names.map((name, at) => name || `value${at}`);
}

/** `slot0` as a part of a name: `Slot0`. */
export function capitalize(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}
