/** An answer to choose. */
export interface Choice {
  readonly value: string;
  readonly label: string;
  /** Shown beside the label while it may be chosen. */
  readonly hint?: string;
}

/** Options of a question that is answered in words. */
export interface EnterOptions {
  /** What an empty answer means. */
  readonly fallback?: string;
  /** Shown while there is no answer. */
  readonly example?: string;
  /** Says what is wrong with an answer. */
  readonly check?: (answer: string) => string | undefined;
}

/**
 * Questions at a terminal. Texts are shown as they are, but for control characters. A question that the user
 * interrupts throws `Interrupted`.
 */
export interface Prompts {
  /** One of several answers. */
  choose(question: string, choices: readonly Choice[], first?: string): Promise<string>;
  /** Any number of answers, in the order of the choices; `chosen` are chosen to begin with. */
  chooseSome(
    question: string,
    choices: readonly Choice[],
    options: { readonly chosen: readonly string[]; readonly atLeastOne: boolean },
  ): Promise<readonly string[]>;
  /** A text without blanks around it; the empty one only where there is no fallback. */
  enter(question: string, options?: EnterOptions): Promise<string>;
  confirm(question: string, usual: boolean): Promise<boolean>;
}

/** The user has interrupted a question; the command ends as it does for Ctrl-C. */
export class Interrupted extends Error {
  override readonly name = "Interrupted";
}
