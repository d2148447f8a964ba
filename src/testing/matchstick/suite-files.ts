const ending = ".test.ts";

/** A test file. */
export interface SuiteFile {
  /** As matchstick names it: the path in the folder of tests, in lower case, without the ending. */
  readonly name: string;
  /** The path in the folder of tests. */
  readonly path: string;
}

/**
 * The test files in a folder.
 * @param files paths in the folder of tests
 * @param wanted prefixes of the paths to run, in any case; empty for all
 */
export function suiteFiles(files: readonly string[], wanted: readonly string[]): readonly SuiteFile[] {
  const suites = files
    .filter((path) => path.toLowerCase().endsWith(ending))
    .map((path) => ({ name: path.toLowerCase().slice(0, -ending.length), path }));
  if (wanted.length === 0) return suites;
  return suites.filter(({ path }) =>
    wanted.some((beginning) => path.toLowerCase().startsWith(beginning.toLowerCase())),
  );
}
