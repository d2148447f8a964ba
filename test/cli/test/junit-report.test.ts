import { expect, test } from "vitest";
import { junitBeginning, junitReport } from "../../../src/cli/test/junit-report.js";
import type { SuiteOutcome, TestOutcome } from "../../../src/testing/outcome.js";

const passed: TestOutcome = { name: "stores", within: [], passed: true, milliseconds: 12, lines: [] };
const suite: SuiteOutcome = { name: "a", file: "tests/a.test.ts", tests: [passed], broken: [], around: [] };

test("a report names every test, why the failed ones failed, and the files that could not run", () => {
  const failed: TestOutcome = {
    ...passed,
    name: 'keeps "<a>"',
    within: ["the handler"],
    passed: false,
    milliseconds: 0.4,
    lines: [
      { level: "error", text: "said & done" },
      { level: "error", text: "expected 1\nfound 2", at: { file: "tests/a.test.ts", line: 7 } },
    ],
  };
  const report = junitReport([
    { ...suite, tests: [passed, failed] },
    { ...suite, name: "b", file: "tests/b.test.ts", tests: [], broken: [{ level: "critical", text: "no" }] },
  ]);
  expect(report).toBe(`${junitBeginning} tests="3" failures="1" errors="1" time="0.012">
  <testsuite name="a" file="tests/a.test.ts" tests="2" failures="1" errors="0" time="0.012">
    <testcase name="stores" classname="a" file="tests/a.test.ts" time="0.012"/>
    <testcase name="the handler › keeps &quot;&lt;a&gt;&quot;" classname="a" file="tests/a.test.ts" time="0.000"><failure message="expected 1">error: said &amp; done&#10;error: expected 1&#10;found 2&#10;  at tests/a.test.ts:7</failure></testcase>
  </testsuite>
  <testsuite name="b" file="tests/b.test.ts" tests="1" failures="0" errors="1" time="0.000">
    <testcase name="tests/b.test.ts" classname="b" file="tests/b.test.ts" time="0.000"><error message="no">critical: no</error></testcase>
  </testsuite>
</testsuites>
`);
});

test("a report contains no character that XML forbids, for any log lines of a test", () => {
  const units = Array.from({ length: 0x10000 }, (_, unit) => String.fromCharCode(unit));
  const text = `]]>${units.join(" ")}`;
  const report = junitReport([
    { ...suite, tests: [{ ...passed, name: text, passed: false, lines: [{ level: "error", text }] }] },
  ]);
  expect(report.isWellFormed()).toBe(true);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: XML forbids exactly these
  expect(report.match(/[\u0000-\u0008\u000b-\u001f\ufffe\uffff]/g)).toBe(null);
  expect(report).not.toContain("]]>");
});
