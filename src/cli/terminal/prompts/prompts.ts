/** An answer to choose. */
export interface Choice {
  readonly value: string;
  readonly label: string;
  /** Shown beside the label of the current choice. */
  readonly hint?: string;
}

/** Options of a question with a typed answer. */
export interface EnterOptions {
  /** The meaning of an empty answer. */
  readonly fallback?: string;
  /** Shown while there is no answer. */
  readonly example?: string;
  /** Returns the mistake in an answer. */
  readonly check?: (answer: string) => string | undefined;
}

/**
 * Questions on a terminal. Texts are shown unchanged, except for control characters. A question that the user
 * interrupts throws `Interrupted`.
 */
export interface Prompts {
  /** One of several answers. */
  choose(question: string, choices: readonly Choice[], first?: string): Promise<string>;
  /** Any number of answers, in the order of the choices; `chosen` are preselected. */
  chooseSome(
    question: string,
    choices: readonly Choice[],
    options: { readonly chosen: readonly string[]; readonly atLeastOne: boolean },
  ): Promise<readonly string[]>;
  /** A trimmed text; it is empty only if there is no fallback. */
  enter(question: string, options?: EnterOptions): Promise<string>;
  confirm(question: string, usual: boolean): Promise<boolean>;
}

/** The user has interrupted a question; the command ends as it does for Ctrl-C. */
export class Interrupted extends Error {
  override readonly name = "Interrupted";
}
