// Turns texts of templates into functions. The build replaces this module by one that has made them already, so that
// the compiler of templates has to be loaded only for texts that were changed since.
import { isDeepStrictEqual } from "node:util";
import Handlebars from "handlebars";

/** Prints a view. */
export type Print = (view: object) => string;

/** What templates may do: print every field, which must exist, and know loops and presence. */
export const templateOptions = {
  strict: true,
  noEscape: true,
  knownHelpersOnly: true,
  knownHelpers: { each: true, if: true, unless: true },
};

/** What was compiled last: the templates hardly ever change, and compiling them takes longer than printing a subgraph. */
let last:
  | { readonly texts: ReadonlyMap<string, string>; readonly compiled: ReadonlyMap<string, Print> }
  | undefined;

/**
 * Compiles templates, unless they are those it has compiled last.
 * @param texts by name; those whose names begin with `_` are parts that the others include by the rest of it
 * @returns the others, by name
 */
export function compileTemplates(texts: ReadonlyMap<string, string>): ReadonlyMap<string, Print> {
  if (last && isDeepStrictEqual(last.texts, texts)) return last.compiled;
  const compiled = compile(texts);
  last = { texts: new Map(texts), compiled };
  return compiled;
}

function compile(texts: ReadonlyMap<string, string>): ReadonlyMap<string, Print> {
  const handlebars = Handlebars.create();
  const compiled = new Map<string, Print>();
  for (const [name, text] of texts) {
    const template = handlebars.compile(text, templateOptions);
    if (name.startsWith("_")) handlebars.registerPartial(name.slice(1), template);
    else compiled.set(name, template);
  }
  return compiled;
}
