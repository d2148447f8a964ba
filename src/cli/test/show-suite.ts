import { visible } from "../../base/text/visible.js";
import {
  isClean,
  type LineLevel,
  type SuiteOutcome,
  type TestLine,
  type TestOutcome,
} from "../../testing/outcome.js";
import { count } from "../terminal/count.js";

const marks: Readonly<Record<LineLevel, string>> = {
  critical: "🆘",
  error: "𝖷",
  warning: "⚠️ ",
  info: "💬",
  debug: "🛠 ",
  success: "√",
};
const styles: Readonly<Record<LineLevel, string>> = {
  critical: "1;31",
  error: "1;31",
  warning: "33",
  info: "3",
  debug: "3;36",
  success: "1;32",
};

/** Decorates a text with the parameters of a terminal's colour sequence. */
export type Style = (parameters: string, text: string) => string;
export const inColor: Style = (parameters, text) => `\u001b[${parameters}m${text}\u001b[0m`;
export const inBlack: Style = (_, text) => text;

/** The tests of a file, as matchstick shows them. */
export function suiteText(suite: SuiteOutcome, style: Style): string {
  const lines = [`\n${style("94", visible(suite.name))}`, "-".repeat(50)];
  lines.push(...suite.around.map((line) => lineText(line, 2, style)));
  let within: readonly string[] = [];
  for (const test of suite.tests) {
    lines.push(...headings(within, test.within, style), testText(test, style));
    within = test.within;
  }
  lines.push(...suite.broken.map((line) => lineText(line, 2, style)));
  return `${lines.join("\n")}\n`;
}

/** The names of the blocks that contain a test but not the previous one. */
function headings(before: readonly string[], now: readonly string[], style: Style): readonly string[] {
  const shared = now.findIndex((name, depth) => before[depth] !== name);
  const first = shared === -1 ? now.length : shared;
  return now.slice(first).map((name, index) => {
    const indent = "  ".repeat(first + index + 1);
    return `${indent}${style("1;3;36", `${visible(name)}:`)}`;
  });
}

/** A passed test's log lines appear below it. A failed test's log lines appear with the failures. */
function testText({ name, within, passed, milliseconds, lines }: TestOutcome, style: Style): string {
  const depth = within.length + 1;
  const mark = style(passed ? "1;32" : "1;31", `${passed ? "√" : "𝖷"} ${visible(name)}`);
  const own = `${"  ".repeat(depth)}${mark} - ${style("94", `${milliseconds.toFixed(3)}ms`)}`;
  const shown = passed ? lines.map((line) => lineText(line, depth * 2 + 2, style)) : [];
  return [own, ...shown].join("\n");
}

function lineText({ level, text, at }: TestLine, indent: number, style: Style): string {
  const space = " ".repeat(indent);
  const lines = text.split("\n").map((line) => visible(line));
  const shown = style(styles[level], `${marks[level]} ${lines.join(`\n${space}`)}`);
  if (!at) return `${space}${shown}`;
  const place = [at.file, at.line, ...(at.column === undefined ? [] : [at.column])].join(":");
  return `${space}${shown}\n${space}   ${style("34", `at ${visible(place)}`)}`;
}

/** The failures of all files, and the numbers of tests. */
export function summaryText(suites: readonly SuiteOutcome[], style: Style): string {
  const tests = suites.flatMap((suite) => suite.tests);
  const failed = tests.filter(({ passed }) => !passed).length;
  const passed = tests.length - failed;
  const broken = suites.filter((suite) => suite.broken.length > 0).length;
  if (suites.every(isClean)) return `\n${style("32", `All ${tests.length} tests passed! 😎`)}\n`;
  const lines = [`\n${style("31", "Failed tests:")}\n`];
  for (const suite of suites.filter((each) => !isClean(each))) {
    lines.push(style("1;94", visible(suite.name)), ...failuresOf(suite, style));
  }
  const numbers = [
    style("31", `${failed} failed`),
    style("32", `${passed} passed`),
    `${tests.length} total`,
    ...(broken > 0 ? [style("31", `${count(broken, "file")} could not run`)] : []),
  ];
  lines.push("", numbers.join(", "));
  return `${lines.join("\n")}\n`;
}

function failuresOf({ tests, broken }: SuiteOutcome, style: Style): readonly string[] {
  const failed = tests.filter(({ passed }) => !passed);
  return [
    ...failed.flatMap(({ name, within, lines }) => [
      `  ${style("1;31", [...within, name].map((part) => visible(part)).join(" › "))}`,
      ...lines.map((line) => lineText(line, 4, style)),
    ]),
    ...broken.map((line) => lineText(line, 2, style)),
  ];
}
