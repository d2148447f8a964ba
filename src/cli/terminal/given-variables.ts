import { UsageError } from "./usage/usage-error.js";

/** The values of `--var <NAME>=<value>` by name. @throws UsageError for a value without a name */
export function givenVariables(given: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    given.map((text) => {
      const [, name, value] = /^([A-Z_][A-Z0-9_]*)=(.*)$/s.exec(text) ?? [];
      if (name !== undefined && value !== undefined) return [name, value];
      throw new UsageError("--var: write <NAME>=<value>. A name consists of capital letters, digits and _.");
    }),
  );
}
