import { spawnSync } from "node:child_process";
import { expect, it } from "vitest";
import { useFolder } from "../../support/folder.js";
import { plantJudgedSubgraph } from "../../support/testing/judged-subgraph.js";
import { judgedTests, judgedTexts } from "../../support/testing/judged-tests.js";

/** The path of gnd. It needs PostgreSQL's programs in the path, or `POSTGRES_URL`, and not to be run by root. */
const gnd = process.env.GRAPHLOOM_GND;
const folder = useFolder();

it.runIf(gnd)("gnd still gives the recorded verdicts", () => {
  plantJudgedSubgraph(folder, judgedTexts());
  const run = (...args: readonly string[]) => spawnSync(gnd ?? "", args, { cwd: folder, encoding: "utf8" });
  expect(run("build").status).toBe(0);
  const verdicts = judgedTests.map(({ name }) => {
    const { status } = run("test", "--skip-build", `tests/${name}.json`);
    return { name, passed: status === 0 };
  });
  expect(verdicts).toEqual(judgedTests.map(({ name, passed }) => ({ name, passed })));
});
