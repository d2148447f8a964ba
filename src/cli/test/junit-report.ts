import { escaped } from "../../subgraph/map/svg-text.js";
import type { SuiteOutcome, TestLine, TestOutcome } from "../../testing/outcome.js";

/** How every report begins. It shows which files may be replaced. */
export const junitBeginning = '<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="graphloom test"';

/**
 * The results of test files as XML in the form of JUnit, which CI servers read.
 * @param suites in the order of the report
 * @returns the whole document; its times are in seconds, with three decimals
 */
export function junitReport(suites: readonly SuiteOutcome[]): string {
  const total = numbers(sum(suites.map(countsOf)));
  return [`${junitBeginning}${total}>`, ...suites.map(suiteXml), "</testsuites>", ""].join("\n");
}

interface Counts {
  readonly tests: number;
  readonly failures: number;
  readonly errors: number;
  readonly milliseconds: number;
}

/** A file that could not run counts as one test, because readers of the report only look at tests. */
function countsOf({ tests, broken }: SuiteOutcome): Counts {
  const errors = broken.length > 0 ? 1 : 0;
  return {
    tests: tests.length + errors,
    failures: tests.filter(({ passed }) => !passed).length,
    errors,
    milliseconds: tests.reduce((time, test) => time + test.milliseconds, 0),
  };
}

function sum(all: readonly Counts[]): Counts {
  const of = (key: keyof Counts): number => all.reduce((total, counts) => total + counts[key], 0);
  return {
    tests: of("tests"),
    failures: of("failures"),
    errors: of("errors"),
    milliseconds: of("milliseconds"),
  };
}

function numbers({ tests, failures, errors, milliseconds }: Counts): string {
  return ` tests="${tests}" failures="${failures}" errors="${errors}" time="${seconds(milliseconds)}"`;
}

function suiteXml(suite: SuiteOutcome): string {
  const { name, file, tests, broken } = suite;
  const begin = `  <testsuite name="${xml(name)}" file="${xml(file)}"${numbers(countsOf(suite))}>`;
  const cases = tests.map((test) => testXml(test, suite));
  if (broken.length > 0) {
    cases.push(`${caseBegin(file, suite, 0)}>${reasonXml("error", broken, broken[0])}</testcase>`);
  }
  return [begin, ...cases, "  </testsuite>"].join("\n");
}

function testXml({ name, within, passed, milliseconds, lines }: TestOutcome, suite: SuiteOutcome): string {
  const begin = caseBegin([...within, name].join(" › "), suite, milliseconds);
  if (passed) return `${begin}/>`;
  // Before the reason, there may be errors that a mapping only logged.
  const why = lines.findLast(({ level }) => level === "error" || level === "critical") ?? lines.at(-1);
  return `${begin}>${reasonXml("failure", lines, why)}</testcase>`;
}

function caseBegin(title: string, { name, file }: SuiteOutcome, milliseconds: number): string {
  return `    <testcase name="${xml(title)}" classname="${xml(name)}" file="${xml(file)}" time="${seconds(milliseconds)}"`;
}

/** @param why the line with the reason, whose first words summarize it */
function reasonXml(tag: "failure" | "error", lines: readonly TestLine[], why: TestLine | undefined): string {
  const message = xml(why?.text.split("\n")[0] ?? "");
  const text = lines
    .map((line) => `${line.level}: ${line.text}${line.at ? `\n  at ${line.at.file}:${line.at.line}` : ""}`)
    .join("\n");
  return `<${tag} message="${message}">${xml(text)}</${tag}>`;
}

function seconds(milliseconds: number): string {
  return (milliseconds / 1000).toFixed(3);
}

/** Escapes a text of one or more lines. */
function xml(text: string): string {
  return text.split("\n").map(escaped).join("&#10;");
}
