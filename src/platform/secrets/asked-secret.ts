import type { NewSecret, SecretPatch } from "../../api/contract.js";
import { checkSecretValue, isSecretName, type SecretValue, secretNameRule } from "../../api/secret-types.js";
import { type FieldError, Problem } from "../problem.js";

/** A secret to create, as requested. */
export interface AskedSecret {
  readonly name: string;
  readonly type: string;
  readonly value: SecretValue;
  readonly description: string | null;
}

/** A requested change of a secret; absent fields stay unchanged. */
export interface AskedChange {
  readonly value?: SecretValue;
  readonly type?: string;
  readonly description?: string | null;
}

/**
 * Reads the body of a request for a new secret, which matches the contract.
 * @throws Problem that names all invalid fields, but shows none of their values
 */
export function readNewSecret(body: NewSecret): AskedSecret {
  refuse([
    ...unknownFields(body, ["name", "value", "description"]),
    ...(isSecretName(body.name) ? [] : [{ field: "name", message: secretNameRule }]),
    ...faultsOf(body.value),
  ]);
  return {
    name: body.name,
    type: String(body.value.type),
    value: body.value,
    description: descriptionOf(body.description) ?? null,
  };
}

/** Reads the body of a request to change a secret. @throws Problem */
export function readSecretChange(body: SecretPatch): AskedChange {
  const { value, description } = body;
  refuse([...unknownFields(body, ["value", "description"]), ...(value === undefined ? [] : faultsOf(value))]);
  return {
    ...(value && { value, type: String(value.type) }),
    ...(description !== undefined && { description: descriptionOf(description) ?? null }),
  };
}

function faultsOf(value: SecretValue): readonly FieldError[] {
  return checkSecretValue(value).map(({ field, message }) => ({
    field: field === undefined ? "value" : `value.${field}`,
    message,
  }));
}

/** Does not repeat the field's name, which may be a misplaced secret. */
function unknownFields(body: object, known: readonly string[]): readonly FieldError[] {
  if (Object.keys(body).every((field) => known.includes(field))) return [];
  return [{ message: `has an unknown field; the known fields are ${known.join(", ")}` }];
}

function refuse(errors: readonly FieldError[]): void {
  if (errors.length > 0) throw new Problem("bad-request", "The secret is not valid.", { errors });
}

function descriptionOf(text: string | undefined): string | undefined {
  return text?.trim() === "" ? undefined : text;
}
