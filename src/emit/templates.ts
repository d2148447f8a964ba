import Handlebars from "handlebars";
import { present } from "../diagnostics/invariant.js";

/** The texts of the templates by name, as they are under `templates/`; partials begin with `_`. */
export type TemplateTexts = ReadonlyMap<string, string>;

/** Every template that emission prints with. */
export const templateNames = [
  "module",
  "_handler",
  "_enrichment",
  "_encoder",
  "mapping",
  "schema",
  "manifest",
  "_source",
  "readme",
] as const;

/** Compiled templates. They print and never decide: no helpers but loops and presence, and every field must exist. */
export class Templates {
  readonly #templates: ReadonlyMap<string, HandlebarsTemplateDelegate>;

  constructor(texts: TemplateTexts) {
    const handlebars = Handlebars.create();
    const options = {
      strict: true,
      noEscape: true,
      knownHelpersOnly: true,
      knownHelpers: { each: true, if: true, unless: true },
    };
    const compiled = new Map<string, HandlebarsTemplateDelegate>();
    for (const [name, text] of texts) {
      const template = handlebars.compile(text, options);
      if (name.startsWith("_")) handlebars.registerPartial(name.slice(1), template);
      else compiled.set(name, template);
    }
    this.#templates = compiled;
  }

  /** Prints a view. A field that the template needs and the view lacks is an error of ours. */
  print(name: (typeof templateNames)[number], view: object): string {
    return present(this.#templates.get(name), `no template named ${name}`)(view);
  }
}
