// Compiles templates. The package's build replaces this module with one that contains precompiled templates, so that
// the template compiler is only loaded for templates that have changed.
import { isDeepStrictEqual } from "node:util";
import Handlebars from "handlebars";

/** Renders a view. */
export type Print = (view: object) => string;

/** Options of templates: every field must exist, and only loops and conditions are allowed. */
export const templateOptions = {
  strict: true,
  noEscape: true,
  knownHelpersOnly: true,
  knownHelpers: { each: true, if: true, unless: true },
};

/**
 * The last compiled templates. They hardly ever change, and compiling them takes longer than rendering a subgraph.
 */
let last:
  | { readonly texts: ReadonlyMap<string, string>; readonly compiled: ReadonlyMap<string, Print> }
  | undefined;

/**
 * Compiles templates; memoizes the last ones.
 * @param texts by name; a name that begins with `_` is a partial, which others include by the rest of the name
 * @returns the templates without the partials, by name
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
