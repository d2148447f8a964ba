import { suggest } from "../../base/text/suggest.js";
import { visible } from "../../base/text/visible.js";
import { type Code, catalog, codes, isCode } from "../../compiler/diagnostics/catalog.js";
import { exitCodes } from "../terminal/exit-codes.js";
import type { Terminal } from "../terminal/terminal.js";
import { UsageError } from "../terminal/usage/usage-error.js";

const width = 80;

export interface ExplainArguments {
  readonly code?: string | undefined;
  readonly output?: "table" | "json" | undefined;
}

/** Prints the catalogue's entry of a code, or the list of all codes; returns the exit code. */
export function explainCode({ code, output }: ExplainArguments, terminal: Terminal): number {
  if (output === "json" && (code === undefined || isCode(code))) {
    const document = code === undefined ? codes.map(titled) : { ...titled(code), ...catalog[code] };
    terminal.out(`${JSON.stringify(document, null, 2)}\n`);
    return exitCodes.clean;
  }
  if (code === undefined) {
    const longest = Math.max(...codes.map(({ length }) => length));
    terminal.out(codes.map((known) => `${known.padEnd(longest)}  ${catalog[known].title}\n`).join(""));
    return exitCodes.clean;
  }
  if (isCode(code)) {
    terminal.out(longForm(code));
    return exitCodes.clean;
  }
  const near = suggest(code, codes);
  throw new UsageError(
    `There is no code "${visible(code)}"${near.length > 0 ? `; did you mean ${near.join(" or ")}?` : "."}`,
    "graphloom explain lists all codes.",
  );
}

function titled(code: Code): { readonly code: Code; readonly title: string } {
  return { code, title: catalog[code].title };
}

function longForm(code: Code): string {
  const { title, explanation, example } = catalog[code];
  const block = (text: string): string =>
    (text === "" ? "(nothing)" : text)
      .split("\n")
      .map((line) => `    ${line}\n`)
      .join("");
  return [
    `${code}: ${title}\n`,
    wrapped(explanation),
    `Wrong:\n${block(example.wrong)}`,
    `Right:\n${block(example.right)}`,
  ].join("\n");
}

/** Wraps a string to lines that fit a terminal. */
function wrapped(text: string): string {
  const lines = [""];
  for (const word of text.split(" ")) {
    const line = lines.at(-1) as string;
    if (line === "") lines[lines.length - 1] = word;
    else if (line.length + 1 + word.length <= width) lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return `${lines.join("\n")}\n`;
}
