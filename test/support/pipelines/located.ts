import { locatedString } from "../../../src/compiler/source/located-string.js";
import type { Located, LocatedString } from "../../../src/compiler/source/source.js";
import type { Named } from "../../../src/pipelines/definition/settings.js";

/** A string as a definition has it. */
export function locatedText(value: string): LocatedString {
  const source = { path: "flow.yaml", text: value };
  return locatedString(value, { source, pointer: "", start: 0, end: value.length }, 0);
}

/** A value as a definition has it. */
export function located<T>(value: T): Located<T> {
  return { value, at: locatedText(String(value)).at };
}

/** A map as a definition has it. */
export function namedValues<T>(values: Readonly<Record<string, T>>): readonly Named<T>[] {
  return Object.entries(values).map(([name, value]) => ({ name: locatedText(name), value: located(value) }));
}
