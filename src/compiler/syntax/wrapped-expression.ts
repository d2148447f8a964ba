/** What people write around an expression who know statements, templates or other languages, and what is left of it. */
const wrappings: readonly ((text: string) => string)[] = [
  (text) => text.replace(/^\s*return\s+/, ""),
  (text) => text.replace(/\s*;\s*$/, ""),
  (text) => text.replace(/^\s*\$\{(.*)\}\s*$/s, "$1"),
  (text) => text.replace(/^\s*\{\{(.*)\}\}\s*$/s, "$1"),
  (text) => text.replace(/\s+and\s+/g, " && ").replace(/\s+or\s+/g, " || "),
];

/** The expression in a text that is none for what is written around it; nothing where nothing such is. */
export function unwrapped(text: string): string | undefined {
  const bare = wrappings.reduce((left, unwrap) => unwrap(left), text).trim();
  return bare === text.trim() || bare === "" ? undefined : bare;
}
