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
  const near = suggest(topic, names);
  throw new UsageError(
    `There is no topic "${visible(topic)}"${near.length > 0 ? `; did you mean ${near.join(" or ")}?` : "."}`,
    "graphloom docs lists all topics.",
  );
}
