/** The names of the functions that a mapping exports, in written order. Ignores comments. */
export function exportedFunctions(text: string): readonly string[] {
  const code = text.replace(/\/\*[\s\S]*?\*\/|\/\/[^\n]*/g, "");
  return [...code.matchAll(/^[ \t]*export[ \t]+function[ \t]+([A-Za-z_$][\w$]*)/gm)].map(
    ([, name = ""]) => name,
  );
}
