import { checkSecretValue, type SecretFault, type SecretValue } from "../../api/secret-types.js";
import { isRecord, parseJson } from "../../base/text/json-value.js";
import { createNodeHost } from "../../machine/files/host.js";
import type { Terminal } from "../terminal/terminal.js";
import { UsageError } from "../terminal/usage/usage-error.js";
import { secretInAddress } from "./connection-string.js";

/** Limit in bytes, far above any value. */
const largest = 262_144;

/**
 * Reads a value from the command line: JSON or a connection string, `@` and a file with one, or `-` for standard input.
 * @throws UsageError when it cannot be read or is invalid; the message never quotes it
 */
export async function givenValue(given: string, terminal: Terminal): Promise<SecretValue> {
  const text = await readGiven(given, terminal);
  const value = secretInAddress(text.trim()) ?? parseJson(text);
  if (!isRecord(value)) {
    throw new UsageError(
      text.trim() === ""
        ? "No value given. Pass it as JSON with --value, or pipe it in."
        : 'The value is not a JSON object such as {"type":"jdbc", …}, nor a connection string such as postgres://…. In a shell, put it in single quotes.',
    );
  }
  const faults = checkSecretValue(value);
  if (faults.length > 0) throw new UsageError("The value is invalid:", ...faults.map(inWords));
  return value;
}

/** Reads a small file for a value. @throws UsageError */
export async function readFileText(path: string, { cwd, stdin }: Terminal): Promise<string> {
  const read = await createNodeHost({ cwd, ...(stdin && { stdin }) }).readFile(path, largest);
  if (read.kind === "bytes") return new TextDecoder().decode(read.bytes);
  const name = path === "-" ? "standard input" : path;
  if (read.kind === "too-large") throw new UsageError(`${name} is too large for a secret.`);
  throw new UsageError(`${name} cannot be read: ${read.kind}.`);
}

/** Formats a fault as a line. */
export function inWords({ field, message }: SecretFault): string {
  return field === undefined ? `  it ${message}` : `  ${field} ${message}`;
}

async function readGiven(given: string, terminal: Terminal): Promise<string> {
  if (given === "-") return readFileText("-", terminal);
  return given.startsWith("@") ? readFileText(given.slice(1), terminal) : given;
}
