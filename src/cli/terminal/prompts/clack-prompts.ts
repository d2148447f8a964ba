import type { Readable, Writable } from "node:stream";
import {
  autocomplete,
  type CANCEL_SYMBOL,
  confirm,
  isCancel,
  multiselect,
  select,
  text,
} from "@clack/prompts";
import { visible } from "../../../base/text/visible.js";
import { type Choice, Interrupted, type Prompts } from "./prompts.js";

/** Streams of a terminal. */
export interface PromptPlace {
  readonly input: Readable;
  readonly output: Writable;
  /** Aborted when the user interrupts; the question is then removed. */
  readonly signal: AbortSignal;
}

/** Limit of choices shown at a time; the arrow keys reach the others. */
const mostShown = 12;

/** The most choices to browse with arrow keys; with more, the user types to search. */
const mostListed = 48;

/**
 * Asks on a terminal with @clack/prompts.
 * @param onInterrupt called for Ctrl-C, which a terminal in raw mode does not turn into a signal
 */
export function clackPrompts(place: PromptPlace, onInterrupt: () => void): Prompts {
  function given<Answer>(answer: Answer | typeof CANCEL_SYMBOL): Answer {
    if (!isCancel(answer)) return answer as Answer;
    onInterrupt();
    throw new Interrupted("interrupted");
  }
  return {
    async choose(question, choices, first) {
      const message = visible(question);
      const initial = first === undefined ? {} : { initialValue: first };
      const options = choices.map(visibleChoice);
      const asked = { ...place, message, options, ...initial, maxItems: mostShown };
      return given(
        options.length > mostListed
          ? await autocomplete<string>({ ...asked, placeholder: "type to search", validate: chosenOnly })
          : await select<string>(asked),
      );
    },
    async chooseSome(question, choices, { chosen, atLeastOne }) {
      const message = visible(question);
      const options = choices.map(visibleChoice);
      const asked = { ...place, message, options, initialValues: [...chosen], required: atLeastOne };
      const answer = given(await multiselect<string>({ ...asked, maxItems: mostShown }));
      return choices.flatMap(({ value }) => (answer.includes(value) ? [value] : []));
    },
    async enter(question, { fallback, example, check } = {}) {
      const hint = fallback ?? example;
      const answer = await text({
        ...place,
        message: visible(question),
        ...(hint !== undefined && { placeholder: visible(hint) }),
        ...(fallback !== undefined && { defaultValue: fallback }),
        validate: (entered) => check?.(entered?.trim() || (fallback ?? "")),
      });
      return given(answer).trim();
    },
    async confirm(question, usual) {
      return given(await confirm({ ...place, message: visible(question), initialValue: usual }));
    },
  };
}

/** A search without a match has no choice to take. */
function chosenOnly(choice: string | string[] | undefined): string | undefined {
  return choice === undefined ? "Nothing matches. Type a different search." : undefined;
}

function visibleChoice({ value, label, hint }: Choice): { value: string; label: string; hint?: string } {
  return { value, label: visible(label), ...(hint !== undefined && { hint: visible(hint) }) };
}
