/** A difference from graph-node. */
export interface Difference {
  /** The heading under which the page has it. */
  readonly section: string;
  /** What graph-node does. */
  readonly there: string;
  /** What graphloom does. */
  readonly here: string;
  readonly reason: string;
  /** The recorded cases in which it shows. */
  readonly cases?: readonly DifferingCase[];
}

/** A recorded case that differs. */
export interface DifferingCase {
  readonly name: string;
  /** The place where differences are allowed, or a part of it, like `answers[3]`. Without it, the whole case may differ. */
  readonly where?: string | RegExp;
}

/** The differences, in the order of the page. */
export const differences: readonly Difference[];

/** The page in Markdown. */
export function differencesPage(): string;
