import { suggest } from "../../base/suggest.js";
import { visible } from "../../base/visible.js";
import { readManual } from "../../node/manual.js";
import { exitCodes } from "../terminal/exit-codes.js";
import type { Terminal } from "../terminal/terminal.js";
import { UsageError } from "../terminal/usage-error.js";

/** Prints a page of the documentation as it was written, or the list of all topics; returns the exit code. */
export function printDocs({ topic }: { readonly topic?: string | undefined }, terminal: Terminal): number {
  const manual = readManual();
  const names = manual.map(({ name }) => name);
  if (topic === undefined) {
    const longest = Math.max(...names.map(({ length }) => length));
    terminal.out(manual.map(({ name, title }) => `${name.padEnd(longest)}  ${title}\n`).join(""));
    return exitCodes.clean;
  }
  const page = manual.find(({ name }) => name === topic);
  if (page) {
    terminal.out(page.markdown);
    return exitCodes.clean;
  }
  const slips = suggest(topic, names);
  const near = slips.length > 0 ? slips : pagesAbout(topic, manual).slice(0, mostPages);
  throw new UsageError(
    `There is no topic "${visible(topic)}"${near.length > 0 ? `; did you mean ${near.join(" or ")}?` : "."}`,
    "graphloom docs lists all topics.",
  );
}

/** The most pages that are proposed. */
const mostPages = 3;

/** The pages that have a word in one of their headings, whatever its spaces and hyphens. */
function pagesAbout(
  word: string,
  manual: readonly { readonly name: string; readonly markdown: string }[],
): readonly string[] {
  const bare = (text: string): string => text.toLowerCase().replace(/[^a-z0-9]/g, "");
  const wanted = bare(word);
  if (wanted.length < 3) return [];
  return manual
    .filter(({ markdown }) => (markdown.match(/^#+ .*$/gm) ?? []).some((line) => bare(line).includes(wanted)))
    .map(({ name }) => name);
}
