import { visible } from "../../base/text/visible.js";

/** Markup that needs no escaping. */
export class Html {
  readonly markup: string;

  constructor(markup: string) {
    this.markup = markup;
  }
}

/** A value in a template: strings are escaped, lists are joined, `undefined` and `false` render nothing. */
export type HtmlValue = string | number | bigint | Html | undefined | false | readonly HtmlValue[];

/** A markup template that escapes all values, except values that are markup already. */
export function html(parts: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  return new Html(parts.map((part, index) => `${part}${markupOf(values[index])}`).join(""));
}

function markupOf(value: HtmlValue): string {
  if (value === undefined || value === false) return "";
  if (value instanceof Html) return value.markup;
  if (Array.isArray(value)) return value.map(markupOf).join("");
  return escapeHtml(visible(String(value)));
}

/** A multi-line string that keeps its line breaks; other invisible characters are written as escapes. */
export function linesOf(text: string): Html {
  return new Html(
    text
      .split("\n")
      .map((line) => markupOf(line))
      .join("\n"),
  );
}

/** Markup without its tags. Escapes stay. */
export function wordsOf({ markup }: Html): Html {
  return new Html(markup.replace(/<[^>]*>/g, ""));
}

/** Escapes a string for markup, including quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
