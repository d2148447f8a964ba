import { UsageError } from "../terminal/usage-error.js";

export const nameRule = "The name of a secret has 1 to 100 letters, digits, _ and -.";

export function isSecretName(name: string): boolean {
  return /^[A-Za-z0-9_-]{1,100}$/.test(name);
}

/** @throws UsageError; what is no name is not repeated: it may be a value in its place */
export function checkSecretName(name: string): void {
  if (!isSecretName(name)) throw new UsageError(nameRule);
}
