import { present } from "../../base/invariant.js";
import { compileTemplates, type Print } from "./compile-templates.js";

/** The texts of the templates under `templates/`, by name; names of partials begin with `_`. */
export type TemplateTexts = ReadonlyMap<string, string>;

/** Every template that emission renders. */
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
  "_call-helper",
  "mapping",
  "instances",
  "schema",
  "manifest",
  "_source",
  "readme",
] as const;

/**
 * Compiled templates. They contain no logic: loops and conditions are the only helpers, and every field must
 * exist.
 */
export class Templates {
  readonly #templates: ReadonlyMap<string, Print>;

  constructor(texts: TemplateTexts) {
    this.#templates = compileTemplates(texts);
  }

  /** Renders a view. A field that the view lacks is a bug. */
  print(name: (typeof templateNames)[number], view: object): string {
    return present(this.#templates.get(name), `no template named ${name}`)(view);
  }
}
