/**
 * Makes a function that rewrites the path-qualified types in the compiler's messages to short names:
 * `~lib/@graphprotocol/graph-ts/common/numbers/BigInt` to `BigInt`, `~lib/string/String` to `string`.
 * @param files full paths of all source files; a path without a name after it stays unchanged
 */
export function typeNameShortener(files: readonly string[]): (text: string) => string {
  let pattern: RegExp | undefined;
  return (text) => {
    pattern ??= patternFor(files);
    return text.replaceAll("~lib/string/String", "string").replaceAll(pattern, "");
  };
}

function patternFor(files: readonly string[]): RegExp {
  const modules = files.map((path) => path.replace(/\.ts$/, ""));
  // Longest first: an alternation takes the first match, and `generated/Tok` is a prefix of
  // `generated/Tok/Tok`.
  modules.sort((a, b) => b.length - a.length);
  const escaped = modules.map((path) => path.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  return new RegExp(`(?<![\\w/])(?:${escaped.join("|")})/(?=[\\w$])`, "g");
}
