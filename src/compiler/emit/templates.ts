import { present } from "../../base/invariant.js";
import { compileTemplates, type Print } from "./compile-templates.js";

/** The texts of the templates by name, as they are under `templates/`; partials begin with `_`. */
export type TemplateTexts = ReadonlyMap<string, string>;

/** Every template that emission prints with. */
export const templateNames = [
  "module",
  "_handler",
  "_enrichment",
  "_call",
  "_condition",
  "_entity",
  "_entity-trigger",
  "_entity-same",
  "_entity-suffix",
  "_entity-explicit",
  "_base-fields",
  "_encoder",
  "mapping",
  "schema",
  "manifest",
  "_source",
  "readme",
] as const;

/** Compiled templates. They print and never decide: no helpers but loops and presence, and every field must exist. */
export class Templates {
  readonly #templates: ReadonlyMap<string, Print>;

  constructor(texts: TemplateTexts) {
    this.#templates = compileTemplates(texts);
  }

  /** Prints a view. A field that the template needs and the view lacks is an error of ours. */
  print(name: (typeof templateNames)[number], view: object): string {
    return present(this.#templates.get(name), `no template named ${name}`)(view);
  }
}
