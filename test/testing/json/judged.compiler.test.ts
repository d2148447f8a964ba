import { expect, it } from "vitest";
import { graphloom, workplace } from "../../cli/harness.js";
import { plantJudgedSubgraph } from "../../support/testing/judged-subgraph.js";
import { judgedTests, judgedTexts } from "../../support/testing/judged-tests.js";

/** The lines of the first part of the output, by the name of the test file. */
function shownTests(out: string): ReadonlyMap<string, string> {
  const parts =
    out
      .split("\nFailed tests:\n")[0]
      ?.split(/\n(\S+)\n-{50}\n/)
      .slice(1) ?? [];
  return new Map(parts.flatMap((name, at) => (at % 2 === 0 ? [[name, parts[at + 1] ?? ""] as const] : [])));
}

/** The lines of the failed tests, by the name of the test file. */
function failures(out: string): ReadonlyMap<string, string> {
  const parts = (out.split("\nFailed tests:\n")[1] ?? "").split(/\n(?=\S+\n {2}\S)/);
  return new Map(parts.map((part) => [part.trim().split("\n")[0] ?? "", part] as const));
}

const signs = (text: string): string =>
  [...text.matchAll(/^ {4}([√𝖷]) [{qm\n]/gmu)].map(([, mark]) => (mark === "√" ? "+" : "-")).join("");

/** Tests that run together, on one build. */
const together = 56;
const groups = Array.from({ length: Math.ceil(judgedTests.length / together) }, (_, at) => {
  const tests = judgedTests.slice(at * together, (at + 1) * together);
  return [`${tests[0]?.name} to ${tests.at(-1)?.name}`, tests] as const;
});

it.each(
  groups,
)("graphloom test gives each test and each of its queries gnd's verdict: %s", async (_, tests) => {
  const folder = workplace();
  const texts = judgedTexts();
  plantJudgedSubgraph(folder, Object.fromEntries(tests.map(({ name }) => [name, texts[name] ?? ""])));
  const { code, out, err } = await graphloom(folder, "test");
  expect([code, err]).toEqual([tests.every(({ passed }) => passed) ? 0 : 1, ""]);
  const [shown, failed] = [shownTests(out), failures(out)];
  const ours = tests.map(({ name, queries }) => {
    const passed = !failed.has(name);
    return {
      name,
      passed,
      ...(passed && queries !== undefined && { queries: signs(shown.get(name) ?? "") }),
    };
  });
  const verdicts = tests.map(({ name, passed, queries }) => ({
    name,
    passed,
    ...(passed && queries !== undefined && { queries }),
  }));
  expect(ours).toEqual(verdicts);
  const comparing = tests.filter(({ name }) => name.startsWith("compare"));
  expect(comparing.map(({ name }) => [name, signs(failed.get(name) ?? "")])).toEqual(
    comparing.map(({ name, queries }) => [name, queries]),
  );
});
