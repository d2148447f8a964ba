export interface TestOutcome {
  readonly name: string;
  /** The names of the blocks around it, outermost first. */
  readonly within: readonly string[];
  readonly passed: boolean;
  readonly milliseconds: number;
  /** The log lines of the test and the reasons of its failure, in order. */
  readonly lines: readonly TestLine[];
}

/** A line below a test. */
export interface TestLine {
  readonly level: LineLevel;
  readonly text: string;
  /** The place in the test, or in code that it called, where the line was logged. */
  readonly at?: TestPlace | undefined;
}

export const lineLevels = ["critical", "error", "warning", "info", "debug", "success"] as const;
export type LineLevel = (typeof lineLevels)[number];

/** A place in a file of the project. */
export interface TestPlace {
  /** Relative to the project's folder, with `/`. */
  readonly file: string;
  /** From 1. */
  readonly line: number;
  /** From 1; absent where it is not known. */
  readonly column?: number;
}

/** The tests of one file. */
export interface SuiteOutcome {
  /** The file without its ending, relative to the folder of tests. */
  readonly name: string;
  /** The file, relative to the project's folder. */
  readonly file: string;
  readonly tests: readonly TestOutcome[];
  /** Why none of its tests, or not all of them, could run. */
  readonly broken: readonly TestLine[];
  /** Log lines from outside of tests: when the file was loaded, and from hooks around a whole block. */
  readonly around: readonly TestLine[];
}

/** Whether all tests of a file ran and passed. */
export function isClean({ tests, broken }: SuiteOutcome): boolean {
  return broken.length === 0 && tests.every(({ passed }) => passed);
}
