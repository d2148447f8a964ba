import type { Compilation } from "../../compiler/compilation.js";
import type { RelatedPlace } from "../../compiler/diagnostics/diagnostic.js";

/** More than these would not help to find the one. */
const mostPlaces = 6;

/** Where the expressions of a handler stand in the configuration; none when there are many. */
export function expressionsOf(
  handler: string,
  { files, origins }: Pick<Compilation, "files" | "origins">,
): readonly RelatedPlace[] {
  const places = new Map<string, RelatedPlace>();
  for (const [path, own] of origins) {
    const reached = functionsReached(handler, files.get(path));
    for (const { line, expression, what } of own) {
      if (!reached.some(({ first, last }) => line >= first && line <= last)) continue;
      const at = expression.part(0, expression.value.length);
      places.set(`${at.source.path} ${at.start}`, { at, text: `perhaps here: ${what}` });
    }
  }
  return places.size > mostPlaces ? [] : [...places.values()];
}

/** A function of an emitted file, and its lines from 1. */
interface EmittedFunction {
  readonly name: string;
  readonly first: number;
  readonly last: number;
  readonly body: string;
}

/** A handler of a file, and the functions of the file that it calls, and those that these call. */
function functionsReached(
  handler: string,
  text: string | Uint8Array | undefined,
): readonly EmittedFunction[] {
  const all = typeof text === "string" ? functionsOf(text) : [];
  const reached = new Set(all.filter(({ name }) => name === handler));
  // What is added on the way is visited, too.
  for (const { body } of reached) {
    for (const one of all) if (body.includes(` ${one.name}(`)) reached.add(one);
  }
  return [...reached];
}

/** They begin in the first column, and so does the brace that ends them. */
function functionsOf(text: string): readonly EmittedFunction[] {
  const lines = text.split("\n");
  return lines.flatMap((line, index) => {
    const [, name] = /^(?:export )?function (\w+)\(/.exec(line) ?? [];
    const end = lines.indexOf("}", index);
    if (name === undefined || end === -1) return [];
    return [{ name, first: index + 1, last: end + 1, body: lines.slice(index + 1, end).join("\n") }];
  });
}
