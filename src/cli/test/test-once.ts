import { resolve } from "node:path";
import { visible } from "../../base/text/visible.js";
import { writeOwnFile } from "../../machine/files/write-own-file.js";
import { BundleError } from "../../subgraph/bundle-error.js";
import { SchemaError } from "../../subgraph/schema/entity-schema.js";
import type { CoveredSource } from "../../testing/coverage.js";
import { SettingsError } from "../../testing/matchstick/read-settings.js";
import { isClean } from "../../testing/outcome.js";
import { exitCodes } from "../terminal/exit-codes.js";
import type { Terminal } from "../terminal/terminal.js";
import { junitBeginning, junitReport } from "./junit-report.js";
import { runProject } from "./run-project.js";
import { inBlack, inColor, type Style, suiteText, summaryText } from "./show-suite.js";
import { openTestProject } from "./test-project.js";
import type { TestTools } from "./test-tools.js";

/**
 * Runs the tests of a project once, shows them and writes the report.
 * @returns the exit code
 * @throws UsageError if there is nothing to test; DatabaseError
 */
export async function testOnce(tools: TestTools, terminal: Terminal): Promise<number> {
  try {
    return await testAndShow(tools, terminal);
  } catch (error) {
    const isExpected = [BundleError, SchemaError, SettingsError].some((kind) => error instanceof kind);
    if (!isExpected) throw error;
    terminal.err(`${visible((error as Error).message)}\n`);
    return exitCodes.diagnostics;
  }
}

async function testAndShow(tools: TestTools, terminal: Terminal): Promise<number> {
  const { args } = tools;
  const style = args.color && terminal.outColor ? inColor : inBlack;
  const project = await openTestProject(tools, terminal);
  const ran = await runProject(project, tools, terminal, (outcome) =>
    terminal.out(suiteText(outcome, style)),
  );
  if (!ran) return exitCodes.interrupted;
  if (ran.covered) terminal.out(coverageText(ran.covered, style));
  terminal.out(summaryText(ran.outcomes, style));
  if (args.junit !== undefined) {
    const path = resolve(terminal.cwd, args.junit);
    const failure = await writeOwnFile(path, junitReport(ran.outcomes), junitBeginning);
    if (failure !== undefined) {
      terminal.err(`${visible(args.junit)} cannot be written: ${visible(failure)}\n`);
      return exitCodes.diagnostics;
    }
  }
  return ran.outcomes.every(isClean) ? exitCodes.clean : exitCodes.diagnostics;
}

/** Which handlers tests ran, by data source and template, as matchstick shows it. */
function coverageText(sources: readonly CoveredSource[], style: Style): string {
  const parts = sources.map(({ name, handlers }) => [
    `Handlers for source '${visible(name)}':`,
    ...handlers.map((handler) =>
      handler.isTested
        ? style("32", `Handler '${visible(handler.name)}' is tested.`)
        : style("31", `Handler '${visible(handler.name)}' is not tested.`),
    ),
    `Test coverage: ${shareOf([{ handlers }])}\n`,
  ]);
  return `\n${[...parts.flat(), `Global test coverage: ${shareOf(sources)}`].join("\n")}\n`;
}

function shareOf(sources: readonly Pick<CoveredSource, "handlers">[]): string {
  const all = sources.flatMap(({ handlers }) => handlers);
  const tested = all.filter(({ isTested }) => isTested).length;
  const percentage = all.length === 0 ? 0 : (tested * 100) / all.length;
  return `${percentage.toFixed(1)}% (${tested}/${all.length} handlers).`;
}
