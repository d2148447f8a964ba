import { readFileSync } from "node:fs";

/** A test in JSON, and what gnd 0.45.0 answered to it. */
export interface JudgedTest {
  readonly name: string;
  readonly passed: boolean;
  /** A sign for each query that gnd ran: `+` if its answer was as expected. */
  readonly queries?: string;
  /** Its text, or its contents without the name. */
  readonly test: string | object;
}

const recorded = new URL("../../testing/json/judged-tests.json", import.meta.url);

/** All recorded tests. */
export const judgedTests: readonly JudgedTest[] = JSON.parse(readFileSync(recorded, "utf8"));

/** The texts of the recorded tests, by name. */
export function judgedTexts(): Readonly<Record<string, string>> {
  return Object.fromEntries(
    judgedTests.map(({ name, test }) => [
      name,
      typeof test === "string" ? test : JSON.stringify({ name, ...test }),
    ]),
  );
}
