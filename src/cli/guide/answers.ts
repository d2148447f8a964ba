import { visible } from "../../base/text/visible.js";
import type { Choice, EnterOptions, Prompts } from "../terminal/prompts/prompts.js";
import type { Terminal } from "../terminal/terminal.js";
import { UsageError } from "../terminal/usage/usage-error.js";

/** A question whose answer may be an option. */
export interface GuideQuestion {
  readonly text: string;
  /** The option that answers it, as in `--contract <address>`. */
  readonly option: string;
}

/**
 * Answers questions: with the given option, with the default if the user accepts all defaults, otherwise by asking.
 * Without a terminal, a question without an answer is a usage error that names its option.
 */
export class Answers {
  readonly #prompts: Prompts | undefined;
  readonly #isEager: boolean;

  /** @param isEager whether to accept the defaults without asking */
  constructor({ prompts }: Pick<Terminal, "prompts">, isEager: boolean) {
    this.#prompts = prompts;
    this.#isEager = isEager;
  }

  /** Whether there is a terminal to ask questions in. */
  get canAsk(): boolean {
    return this.#prompts !== undefined;
  }

  /** Whether to ask questions: there is a terminal, and the user has not accepted the defaults with `--yes`. */
  get isAsking(): boolean {
    return this.canAsk && !this.#isEager;
  }

  /** Asks for a string. A given one is returned unchecked. */
  async enter(
    given: string | undefined,
    { text, option }: GuideQuestion,
    options: EnterOptions = {},
  ): Promise<string> {
    if (given !== undefined) return given;
    const { fallback } = options;
    if (fallback !== undefined && (this.#isEager || !this.#prompts)) return fallback;
    if (!this.#prompts) throw this.#unanswered({ text, option });
    return (await this.#prompts.enter(text, options)) || (fallback ?? "");
  }

  /** Asks for one of several choices. A single choice is used without asking. */
  async choose({ text, option }: GuideQuestion, choices: readonly Choice[]): Promise<string> {
    const [only, another] = choices;
    if (only && !another) return only.value;
    if (!this.#prompts) throw this.#unanswered({ text, option }, choices);
    return this.#prompts.choose(text, choices);
  }

  /** Asks for several of the choices. Returns the preselected ones if it cannot ask or there is nothing to choose. */
  async chooseSome(
    question: string,
    choices: readonly Choice[],
    options: { readonly chosen: readonly string[]; readonly atLeastOne: boolean },
  ): Promise<readonly string[]> {
    const isOpen = choices.length > (options.atLeastOne ? 1 : 0);
    if (!this.#prompts || this.#isEager || !isOpen) return options.chosen;
    return this.#prompts.chooseSome(question, choices, options);
  }

  /** Asks yes or no. Without a terminal, it returns the default. */
  async confirm(question: string, usual: boolean): Promise<boolean> {
    if (!this.#prompts || this.#isEager) return usual;
    return this.#prompts.confirm(question, usual);
  }

  #unanswered({ text, option }: GuideQuestion, choices: readonly Choice[] = []): UsageError {
    const some = choices.slice(0, 6).map(({ label }) => `"${visible(label)}"`);
    const named = some.length === 0 ? "" : ` Choices include ${some.join(", ")}.`;
    return new UsageError(`Not running in a terminal, so I cannot ask. ${text} Pass ${option}.${named}`);
  }
}
