/** A file with a test in JSON. */
export interface JsonFile {
  /** The path in the folder of tests, without the ending. */
  readonly name: string;
  /** The path in the folder of tests. */
  readonly path: string;
  /** Whether it is a test for sure. Other files may be data that tests read. */
  readonly isCertain: boolean;
}

const ending = /(\.test)?\.json$/;

/**
 * The JSON files in a folder that may be tests. As in gnd, names that begin with a dot or a dash are skipped.
 * @param files paths in the folder of tests
 * @param wanted prefixes of the paths to run, in any case; empty for all
 */
export function jsonFiles(files: readonly string[], wanted: readonly string[]): readonly JsonFile[] {
  const beginnings = wanted.map((beginning) => beginning.toLowerCase());
  return files
    .filter((path) => ending.test(path) && path.split("/").every((part) => /^[\p{L}\p{N}]/u.test(part)))
    .filter((path) => beginnings.length === 0 || beginnings.some((one) => path.toLowerCase().startsWith(one)))
    .map((path) => ({
      name: path.replace(ending, ""),
      path,
      isCertain: path.endsWith(".test.json") || beginnings.includes(path.toLowerCase()),
    }));
}
