import { descriptionOf, type ManualPage, partsOf } from "../../base/manual.js";
import { type ManualHit, searchManual } from "../../base/search-manual.js";
import { suggest } from "../../base/text/suggest.js";
import { visible } from "../../base/text/visible.js";
import { readManual } from "../../machine/manual.js";
import { count } from "../terminal/count.js";
import { exitCodes } from "../terminal/exit-codes.js";
import type { Terminal } from "../terminal/terminal.js";
import { UsageError } from "../terminal/usage/usage-error.js";

/** Prints a page's source, the sections that contain some words, or the list of all topics; returns the exit code. */
export function printDocs({ topic }: { readonly topic?: string | undefined }, terminal: Terminal): number {
  const manual = readManual();
  const names = manual.map(({ name }) => name);
  if (topic === undefined) {
    const { outColor, columns = 80 } = terminal;
    terminal.out(contentsOf(manual, outColor === true ? columns : Number.POSITIVE_INFINITY));
    return exitCodes.clean;
  }
  const page = manual.find(({ name }) => name === topic);
  if (page) {
    terminal.out(page.markdown);
    return exitCodes.clean;
  }
  const slips = suggest(topic, names);
  const hits = slips.length > 0 ? [] : searchManual(manual, topic);
  if (hits.length === 0)
    throw new UsageError(
      slips.length > 0
        ? `There is no topic "${visible(topic)}"; did you mean ${slips.join(" or ")}?`
        : `There is no topic "${visible(topic)}", and no page has it.`,
      "graphloom docs lists all topics.",
    );
  terminal.out(`${hits.slice(0, mostHits).map(hitText).join("\n")}${moreText(hits.length)}`);
  return exitCodes.clean;
}

/** The pages by their parts, each with what it is about, as far as that fits into a line. */
function contentsOf(manual: readonly ManualPage[], width: number): string {
  const longest = Math.max(...manual.map(({ name }) => name.length));
  const room = width - longest - 4;
  const lineOf = (page: ManualPage): string =>
    `  ${page.name.padEnd(longest)}  ${cutAtWord(descriptionOf(page), room)}\n`;
  return partsOf(manual)
    .map(({ title, pages }) => `${title}\n${pages.map(lineOf).join("")}`)
    .join("\n");
}

function cutAtWord(text: string, room: number): string {
  return text.length <= room ? text : `${text.slice(0, text.lastIndexOf(" ", room - 1))}…`;
}

/** The most sections that are shown. */
const mostHits = 10;

/** The command that prints the page, the section, and its line. */
function hitText({ page, heading, line }: ManualHit): string {
  const section = heading === page.title ? page.title : `${page.title}: ${heading}`;
  return `graphloom docs ${page.name}  ${section}\n${line === "" ? "" : `    ${line}\n`}`;
}

function moreText(found: number): string {
  return found > mostHits ? `\n${count(found - mostHits, "more section")}\n` : "";
}
