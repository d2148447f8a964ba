/**
 * Makes a function that rewrites the path-qualified types in the compiler's messages to short names:
 * `~lib/@graphprotocol/graph-ts/common/numbers/BigInt` to `BigInt`, `~lib/string/String` to `string`.
 * @param files every source file by its full path; a path that is not followed by a name is left alone
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
  // Longest first: an alternation takes the first that fits, and `generated/Tok` may begin `generated/Tok/Tok`.
  modules.sort((a, b) => b.length - a.length);
  const escaped = modules.map((path) => path.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  return new RegExp(`(?<![\\w/])(?:${escaped.join("|")})/(?=[\\w$])`, "g");
}
