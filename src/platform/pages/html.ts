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

/** A text in markup, also within the quotes of an attribute. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
