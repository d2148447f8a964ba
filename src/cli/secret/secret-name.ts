import { isSecretName, secretNameRule } from "../../api/secret-types.js";
import { UsageError } from "../terminal/usage/usage-error.js";

export const nameRule = `The name of a secret ${secretNameRule}.`;

/** @throws UsageError, whose message does not repeat the argument: it may be a value in the wrong place */
export function checkSecretName(name: string): void {
  if (!isSecretName(name)) throw new UsageError(nameRule);
}
