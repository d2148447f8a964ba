// Compares values with the schema of a configuration. The build replaces this module by the function that it makes,
// so that neither the compiler of schemas has to be loaded nor the schema to be compiled.
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { configSchema } from "./schema.js";

/** What compiles the schema; the build asks it for the function's text. */
export const ajv = new Ajv2020({
  allErrors: true,
  verbose: true,
  ownProperties: true,
  strictTypes: false,
  code: { source: true },
});
// The last two speak to editors alone.
ajv.addVocabulary(["errorMessage", "defaultSnippets", "doNotSuggest"]);

/** Whether a value satisfies the schema; if not, `errors` has every violation. */
export const validator: ValidateFunction = ajv.compile(configSchema);
