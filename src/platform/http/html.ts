import { visible } from "../../base/visible.js";

/** Markup that can be put into a page as it is. */
export class Html {
  readonly markup: string;

  constructor(markup: string) {
    this.markup = markup;
  }
}

/** What a template takes: texts are escaped, lists are joined, what is not there leaves nothing. */
export type HtmlValue = string | number | bigint | Html | undefined | false | readonly HtmlValue[];

/** A template of markup: everything that is put into it is escaped, unless it is markup itself. */
export function html(parts: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  return new Html(parts.map((part, index) => `${part}${markupOf(values[index])}`).join(""));
}

function markupOf(value: HtmlValue): string {
  if (value === undefined || value === false) return "";
  if (value instanceof Html) return value.markup;
  if (Array.isArray(value)) return value.map(markupOf).join("");
  return escapeHtml(visible(String(value)));
}

/** A text of several lines, which stay lines; everything else that cannot be seen is written as an escape. */
export function linesOf(text: string): Html {
  return new Html(
    text
      .split("\n")
      .map((line) => markupOf(line))
      .join("\n"),
  );
}

/** The texts of markup, without what they are marked up with. Escapes stay. */
export function wordsOf({ markup }: Html): Html {
  return new Html(markup.replace(/<[^>]*>/g, ""));
}

/** A text in markup, also within the quotes of an attribute. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
