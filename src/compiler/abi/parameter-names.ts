import { currentRules } from "./graph-cli-rules.js";
import { escapeReserved } from "./reserved-words.js";

/**
 * Numbers equal names as graph-cli does: `f`, `f1`, `f2` in order of appearance; reserved words get `_`. The
 * results may still clash (`f`, `f`, `f1`), which `makeBindable` resolves.
 */
export function numberNames(names: readonly string[], { escapesNames } = currentRules): string[] {
  const seen = new Map<string, number>();
  return names.map((name) => {
    const safe = escapesNames ? escapeReserved(name) : name;
    const before = seen.get(safe) ?? 0;
    seen.set(safe, before + 1);
    return before === 0 ? safe : `${safe}${before}`;
  });
}

/**
 * The names of a list of inputs or outputs in a binding.
 * @param unnamed name of unnamed parameters, followed by their index
 */
export function parameterNames(
  names: readonly string[],
  unnamed: "param" | "value",
  rules = currentRules,
): string[] {
  return numberNames(
    names.map((name, at) => name || `${unnamed}${at}`),
    rules,
  );
}

/** The names of a struct's components in a binding: graph-cli neither numbers nor escapes them. */
export function componentNames(names: readonly string[]): string[] {
  return names.map((name, at) => name || `value${at}`);
}

export function capitalize(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}
