/** The test files that a change can affect, in order. @param files the text of each code file, by its path */
export function affectedTests(
  files: ReadonlyMap<string, string>,
  changed: readonly string[],
): readonly string[];
