import type { ErrorObject } from "ajv/dist/2020.js";
import { invariant } from "../../../base/invariant.js";
import type { Code } from "../../diagnostics/catalog.js";
import type { Details } from "../../diagnostics/diagnostic.js";
import type { Location } from "../../source/source.js";
import type { SchemaPart } from "../schema.js";

/** A violation of the schema, ready to be reported. */
export interface Violation {
  readonly code: Code;
  readonly at: Location;
  readonly message: string;
  readonly details: Details;
}

export function schemaOf(error: ErrorObject): SchemaPart {
  return (error.parentSchema ?? {}) as SchemaPart;
}

/** What the schema requires, worded to follow a setting's name. */
export function expectation(error: ErrorObject): string {
  // Editors also show an object's errorMessage for its misspelt keys.
  const { expectation: own, errorMessage: told = own } = schemaOf(error);
  invariant(typeof told === "string", `the schema says nothing about ${error.schemaPath}`);
  return told;
}
