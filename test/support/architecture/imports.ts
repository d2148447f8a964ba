/** An import, or an export of what another file has. */
export interface SourceImport {
  /** Path of the file that imports. */
  readonly file: string;
  readonly line: number;
  /** As it is written: `./visible.js`, `node:fs`. */
  readonly specifier: string;
  readonly isTypesOnly: boolean;
}

/** What a file imports, dynamically and as a worker, too. */
export function importsOf(file: string, text: string): readonly SourceImport[] {
  const pattern =
    /(?:^|\n)(?:import|export)\s+(type\s+)?([^;"]*?)\s*from\s*"([^"]+)"|(?:^|\n)import\s*"([^"]+)"|\bimport\("([^"]+)"\)|new URL\("(\.[^"]+\.js)"/g;
  return [...text.matchAll(pattern)].map((match) => {
    const [whole, typeKeyword, names = "", from, bare, dynamic, worker] = match;
    const named = /^\{(.*)\}$/s
      .exec(names)?.[1]
      ?.split(",")
      .filter((name) => name.trim() !== "");
    const isTypes = typeKeyword !== undefined || (named?.every((name) => /^\s*type\s/.test(name)) ?? false);
    return {
      file,
      line: text.slice(0, match.index).split("\n").length + (whole.startsWith("\n") ? 1 : 0),
      specifier: from ?? bare ?? dynamic ?? worker ?? "",
      isTypesOnly: isTypes && from !== undefined,
    };
  });
}
