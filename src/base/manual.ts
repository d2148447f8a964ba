/** A page of the documentation. */
export interface ManualPage {
  /** Its name, such as `getting-started`. */
  readonly name: string;
  /** Its first heading. */
  readonly title: string;
  readonly markdown: string;
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
