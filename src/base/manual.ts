/** A page of the documentation. */
export interface ManualPage {
  /** Its name, such as `getting-started`. */
  readonly name: string;
  /** Its first heading. */
  readonly title: string;
  /** The heading that it has in the contents, such as `Start`. */
  readonly part: string;
  readonly markdown: string;
}

/** A heading of the contents with its pages. */
export interface ManualPart {
  readonly title: string;
  readonly pages: readonly ManualPage[];
}

/** Divides pages in reading order by their parts. */
export function partsOf(manual: readonly ManualPage[]): readonly ManualPart[] {
  const titles = [...new Set(manual.map(({ part }) => part))];
  return titles.map((title) => ({ title, pages: manual.filter(({ part }) => part === title) }));
}

/** Longer summaries end after a word. */
const longestSummary = 300;

/**
 * Says what a page is about: the first paragraph below its title, as one line without links.
 * @returns an empty string for a page that begins with a section, a list or code
 */
export function summaryOf({ markdown }: ManualPage): string {
  const [, first = ""] = /^# .+\n+(?!```|[#|<>-])(.+)$/m.exec(markdown) ?? [];
  // A sentence that introduces a list ends with a colon.
  const line = first
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .trim()
    .replace(/:$/, ".");
  return line.length <= longestSummary ? line : `${line.slice(0, line.lastIndexOf(" ", longestSummary))}…`;
}

/** The first sentence of a page's summary, without marks for code; its title for a page without a summary. */
export function descriptionOf(page: ManualPage): string {
  const [sentence = page.title] = /^.+?[.?!](?= |$)/.exec(summaryOf(page).replaceAll("`", "")) ?? [];
  return sentence;
}
