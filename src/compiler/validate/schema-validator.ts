// Compiles the configuration's schema to a validator. The package's build replaces this module with the compiled
// function, so that run time neither loads ajv nor compiles the schema.
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { configSchema } from "./schema.js";

/** The schema compiler; the package's build asks it for the function's source. */
export const ajv = new Ajv2020({
  allErrors: true,
  verbose: true,
  ownProperties: true,
  strictTypes: false,
  code: { source: true },
});
// Keywords that only editors use.
ajv.addVocabulary(["errorMessage", "expectation", "defaultSnippets", "doNotSuggest", "editorOnly"]);

/** Whether a value satisfies the schema. Otherwise `errors` has every violation. */
export const validator: ValidateFunction = ajv.compile(configSchema);
