import type { ManualPage } from "./manual.js";

/** A section of the documentation that contains all words of a search. */
export interface ManualHit {
  readonly page: ManualPage;
  /** The section's heading, without marks for code. */
  readonly heading: string;
  /** Its line with most of the words, or the part around them; empty if only headings have them. */
  readonly line: string;
}

interface Section {
  readonly page: ManualPage;
  readonly heading: string;
  readonly lines: readonly string[];
}

/** Anyone may search, and each word costs a pass over the whole manual. */
const mostWords = 8;
/** The longest line that is shown whole. */
const longestLine = 160;

/**
 * Searches the documentation for words, ignoring case and hyphens. A section must contain all of them, each at the
 * beginning of a word; its heading and the title of its page count, too.
 * @param query the query, of which the first eight words count
 * @returns the best sections first: a word in a heading counts more than words in the text
 */
export function searchManual(manual: readonly ManualPage[], query: string): readonly ManualHit[] {
  const bare = query.replaceAll(/(?<=\p{L})-(?=\p{L})/gu, "");
  const words = (bare.match(/[\p{L}\p{N}_]+/gu) ?? []).slice(0, mostWords);
  if (words.length === 0) return [];
  // `backup` finds `back-up`.
  const wanted = words.map((word) => new RegExp(`(?<![\\p{L}\\p{N}])${[...word].join("-?")}`, "giu"));
  const whole = words.join("").toLowerCase();
  return manual
    .flatMap(sectionsOf)
    .map((section) => ({ section, score: scoreOf(section, wanted, whole) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
    .map(({ section: { page, heading, lines } }) => ({ page, heading, line: lineWith(lines, wanted) }));
}

/**
 * @param whole the words without separators: `backup` for `back up`
 * @returns 0 if one of the words is missing
 */
function scoreOf({ page, heading, lines }: Section, wanted: readonly RegExp[], whole: string): number {
  const own = heading.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const isNamed = own.some((_, first) => own.slice(first).join("").startsWith(whole));
  const body = lines.join("\n");
  const counts = wanted.map((word) => ({
    title: timesIn(page.title, word),
    heading: timesIn(heading, word),
    body: timesIn(body, word),
  }));
  const hasAll = counts.every((each) => each.title + each.heading + each.body > 0);
  // The words of the page's title count for all of its sections.
  const hasOwn = counts.some((each) => each.heading + each.body > 0);
  if (!isNamed && !(hasAll && hasOwn)) return 0;
  return counts.reduce(
    (sum, each) => sum + (each.heading > 0 ? 40 : 0) + (each.title > 0 ? 10 : 0) + Math.min(each.body, 10),
    isNamed ? 100 : 0,
  );
}

function timesIn(text: string, word: RegExp): number {
  return text.match(word)?.length ?? 0;
}

function lineWith(lines: readonly string[], wanted: readonly RegExp[]): string {
  const counts = lines.map((line) => wanted.filter((word) => timesIn(line, word) > 0).length);
  const most = Math.max(0, ...counts);
  const line = most === 0 ? "" : (lines[counts.indexOf(most)] ?? "").trim();
  if (line.length <= longestLine) return line;
  const places = wanted.map((word) => line.search(new RegExp(word.source, "iu"))).filter((at) => at >= 0);
  const at = Math.min(...places);
  const start = at < longestLine / 2 ? 0 : line.lastIndexOf(" ", at - longestLine / 3) + 1;
  const rest = line.slice(start);
  if (rest.length <= longestLine) return `…${rest}`;
  return `${start > 0 ? "…" : ""}${rest.slice(0, rest.lastIndexOf(" ", longestLine))}…`;
}

/** Lines inside code are not headings. */
function sectionsOf(page: ManualPage): readonly Section[] {
  const sections: { heading: string; lines: string[] }[] = [];
  let isCode = false;
  for (const line of page.markdown.split("\n")) {
    const isFence = line.trimStart().startsWith("```");
    if (isFence) isCode = !isCode;
    const [, heading] = isCode ? [] : (/^#{1,6} (.+)$/.exec(line) ?? []);
    if (heading !== undefined) sections.push({ heading: heading.replaceAll("`", ""), lines: [] });
    else if (!isFence) sections.at(-1)?.lines.push(line);
  }
  return sections.map((section) => ({ page, ...section }));
}
