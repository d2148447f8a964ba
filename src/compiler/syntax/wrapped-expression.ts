/** Removes what users wrap around an expression out of habit: statements, templates, other languages. */
const wrappings: readonly ((text: string) => string)[] = [
  (text) => text.replace(/^\s*return\s+/, ""),
  (text) => text.replace(/\s*;\s*$/, ""),
  (text) => text.replace(/^\s*\$\{(.*)\}\s*$/s, "$1"),
  (text) => text.replace(/^\s*\{\{(.*)\}\}\s*$/s, "$1"),
  (text) => text.replace(/\s+and\s+/g, " && ").replace(/\s+or\s+/g, " || "),
];

/** The expression in a text that is invalid only because of its wrapping; `undefined` if there is none. */
export function unwrapped(text: string): string | undefined {
  const bare = wrappings.reduce((left, unwrap) => unwrap(left), text).trim();
  return bare === text.trim() || bare === "" ? undefined : bare;
}
