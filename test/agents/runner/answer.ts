import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Place, Unsolved } from "./task.js";

/** The most characters of a file that an agent wrote. */
const largestFile = 1_000_000;

/** Reads a file that the agent was to write. @throws Unsolved if it is missing or too large */
export function workFile(place: Place, name: string): string {
  let text: string;
  try {
    text = readFileSync(join(place.work, name), "utf8");
  } catch {
    throw new Unsolved(`there is no file ${name}`);
  }
  if (text.length > largestFile) throw new Unsolved(`${name} has more than ${largestFile} characters`);
  return text;
}

/** Reads `answer.json`. @throws Unsolved if it is not an object with these keys */
export function answerOf<Key extends string>(
  place: Place,
  keys: readonly Key[],
): Readonly<Record<Key, unknown>> {
  let answer: unknown;
  try {
    answer = JSON.parse(workFile(place, "answer.json"));
  } catch (error) {
    if (error instanceof Unsolved) throw error;
    throw new Unsolved("answer.json is not JSON");
  }
  if (typeof answer !== "object" || answer === null) throw new Unsolved("answer.json has no object");
  const missing = keys.filter((key) => !(key in answer));
  if (missing.length > 0) throw new Unsolved(`answer.json lacks ${missing.join(", ")}`);
  return answer as Readonly<Record<Key, unknown>>;
}

/** Whether two decimal numbers in texts are equal. */
export function isSameNumber(one: unknown, other: unknown): boolean {
  return plain(one) !== undefined && plain(one) === plain(other);
}

/** A decimal number without zeros that do not count. */
function plain(value: unknown): string | undefined {
  const [, sign = "", whole = "", part = ""] =
    /^(-?)0*(\d+)(?:\.(\d+?)0*)?$/.exec(String(value).trim()) ?? [];
  return whole === "" ? undefined : `${sign}${whole}${/^0*$/.test(part) ? "" : `.${part}`}`;
}
