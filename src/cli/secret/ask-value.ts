import {
  checkSecretValue,
  type SecretField,
  type SecretType,
  type SecretValue,
  secretTypes,
} from "../../api/secret-types.js";
import type { Terminal } from "../terminal/terminal.js";
import { readFileText } from "./given-value.js";

/** A terminal that can ask questions. */
export type AskedTerminal = Terminal & Required<Pick<Terminal, "ask">>;

/** Whether the terminal can ask questions. */
export function canAsk(terminal: Terminal): terminal is AskedTerminal {
  return terminal.ask !== undefined;
}

/** Asks for a type, then for its fields. @returns `undefined` if the input ends first */
export async function askValue(terminal: AskedTerminal): Promise<SecretValue | undefined> {
  const type = await askType(terminal);
  if (!type) return undefined;
  const value: Record<string, unknown> = { type: type.name };
  for (const field of type.fields) {
    const answer = await askField(field, value, terminal);
    if (answer === undefined) return undefined;
    if (answer !== null) value[field.name] = answer;
  }
  return value;
}

async function askType(terminal: AskedTerminal): Promise<SecretType | undefined> {
  const width = Math.max(...secretTypes.map(({ name }) => name.length));
  terminal.err("What does the secret give access to?\n");
  for (const [index, { name, meaning }] of secretTypes.entries())
    terminal.err(`  ${String(index + 1).padStart(2)}  ${name.padEnd(width)}  ${meaning}\n`);
  for (;;) {
    const answer = (await terminal.ask("Type (name or number): "))?.trim();
    if (answer === undefined) return undefined;
    const found = secretTypes.find(({ name }, index) => isMeant(answer, name, index));
    if (found) return found;
    terminal.err(`Enter a name, or a number from 1 to ${secretTypes.length}.\n`);
  }
}

/**
 * Asks for a field until the answer is valid.
 * @returns `undefined` if the input ends first; null if the field is skipped
 */
async function askField(
  field: SecretField,
  before: SecretValue,
  terminal: AskedTerminal,
): Promise<string | number | null | undefined> {
  const { name, meaning, choices, isRequired, isHidden, isFile } = field;
  const hint = [
    meaning,
    ...(choices ? [choices.join(", ")] : []),
    ...(isFile ? ["or @ followed by a file path"] : []),
    ...(isRequired ? [] : ["leave empty to skip"]),
  ].join("; ");
  // The path of a file is echoed, but not its content.
  const question = `${name} (${hint}): `;
  for (;;) {
    const given = await terminal.ask(question, { hidden: isHidden });
    if (given === undefined) return undefined;
    if (given === "" && !isRequired) return null;
    const answer = await read(given, field, terminal);
    const fault = checkSecretValue({ ...before, [name]: answer }).find((each) => each.field === name);
    if (!fault) return answer;
    terminal.err(`${name} ${fault.message}\n`);
  }
}

async function read(
  given: string,
  { isNumber, isFile, isHidden, choices }: SecretField,
  terminal: Terminal,
): Promise<string | number> {
  if (isFile && given.trim().startsWith("@")) return readFileText(given.trim().slice(1), terminal);
  // A password can start or end with blanks.
  if (isHidden) return given;
  const plain = given.trim();
  if (isNumber) return /^\d+$/.test(plain) ? Number(plain) : plain;
  return choices?.find((choice, index) => isMeant(plain, choice, index)) ?? plain;
}

function isMeant(answer: string, choice: string, index: number): boolean {
  return answer.toLowerCase() === choice.toLowerCase() || answer === String(index + 1);
}
