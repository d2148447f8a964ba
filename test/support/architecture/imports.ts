/** An import, or a re-export from a different file. */
export interface SourceImport {
  /** Path of the file that imports. */
  readonly file: string;
  readonly line: number;
  /** As written: `./visible.js`, `node:fs`. */
  readonly specifier: string;
  readonly isTypesOnly: boolean;
  /** Whether the module is loaded on demand or as a worker, or exported under its own name. */
  readonly isOwnStep: boolean;
}

/** The imports of a file, including dynamic ones and workers. */
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
      isOwnStep: from === undefined ? bare === undefined : /^\n?export/.test(whole),
    };
  });
}
