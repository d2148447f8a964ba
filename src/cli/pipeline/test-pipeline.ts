import { visible } from "../../base/text/visible.js";
import { PipelineError } from "../../pipelines/changes/pipeline-error.js";
import type { Rows } from "../../pipelines/changes/rows.js";
import type { RowColumn } from "../../pipelines/changes/schema.js";
import type { PipelinePlan } from "../../pipelines/plan/pipeline-plan.js";
import type { ProgramWorld } from "../../pipelines/runner/program.js";
import { QueryError } from "../../pipelines/sql/engine.js";
import type { PipelineTest } from "../../pipelines/testing/pipeline-test.js";
import { readTests } from "../../pipelines/testing/read-tests.js";
import { type Difference, runTest } from "../../pipelines/testing/run-test.js";
import { openLookup, openTable, openTransform } from "../../pipelines/transforms/open-transform.js";
import { reportDiagnostics } from "../compile/report-diagnostics.js";
import { count } from "../terminal/count.js";
import { exitCodes } from "../terminal/exit-codes.js";
import type { Terminal } from "../terminal/terminal.js";
import type { ReportArguments } from "../terminal/usage/options.js";
import { sinkPorts } from "./pipeline-world.js";
import { planFile } from "./plan-file.js";
import { type DefinitionArguments, reportMissingPackage } from "./with-plan.js";

/** Arguments of `pipeline test`. */
export interface TestPipelineArguments extends ReportArguments, DefinitionArguments {}

/** Runs the tests that a definition contains; returns the exit code. */
export function testPipeline(args: TestPipelineArguments, terminal: Terminal): Promise<number> {
  return reportMissingPackage(terminal, async () => {
    const unread = { why: "tests give their own rows" };
    const { configPath, var: given = [] } = args;
    const { definition, plan, report } = await planFile(configPath, given, terminal, async () => unread);
    const tests = plan && definition?.tests ? readTests(definition.tests, plan, report) : [];
    reportDiagnostics(report.diagnostics, args, terminal);
    if (!plan || report.failed) return exitCodes.diagnostics;
    if (tests.length > 0) return runAll(plan, tests, terminal);
    terminal.err(
      `${visible(configPath)} has no tests. Add a list named tests to it; each test has name, given and expect.\n`,
    );
    return exitCodes.usage;
  });
}

async function runAll(
  plan: PipelinePlan,
  tests: readonly PipelineTest[],
  terminal: Terminal,
): Promise<number> {
  const ports = sinkPorts({}, terminal);
  const world: ProgramWorld = {
    openEngine: ports.openEngine,
    openTransform: (planned) => openTransform(planned, ports),
    openTable: (planned) => openTable(planned, ports),
    openLookup: (planned) => openLookup(planned, ports),
  };
  let failed = 0;
  try {
    for (const test of tests) {
      const faults = await faultsOf(plan, test, world);
      if (faults.length > 0) failed += 1;
      const lines = faults.map((fault) => `    ${visible(fault)}\n`).join("");
      terminal.out(`${faults.length === 0 ? "✓" : "✗"} ${visible(test.name)}\n${lines}`);
    }
  } finally {
    ports.close();
  }
  terminal.out(
    failed === 0 ? `${passed(tests.length)}\n` : `${failed} of ${count(tests.length, "test")} failed\n`,
  );
  return failed === 0 ? exitCodes.clean : exitCodes.diagnostics;
}

function passed(tests: number): string {
  return `${count(tests, "test")} passed`;
}

/** What is wrong with the rows of a test, a line for each row. */
async function faultsOf(
  plan: PipelinePlan,
  test: PipelineTest,
  world: ProgramWorld,
): Promise<readonly string[]> {
  try {
    const differences = await runTest(plan, test, world);
    return differences.flatMap((difference) => described(difference, test));
  } catch (error) {
    if (!(error instanceof QueryError || error instanceof PipelineError)) throw error;
    return [error.message];
  }
}

function described({ node, missing, extra }: Difference, { expected }: PipelineTest): readonly string[] {
  const columns = expected.find((one) => one.node.name === node)?.node.schema.columns ?? [];
  const lines = missing.map(
    ({ values, columns: named }) => `${node} has no row ${rowText(values, 0, columns, named)}`,
  );
  const all = columns.map((_, index) => index);
  for (let row = 0; row < extra.count; row += 1)
    lines.push(`${node} has a row that is not expected: ${rowText(extra, row, columns, all)}`);
  return lines;
}

function rowText(rows: Rows, row: number, columns: readonly RowColumn[], named: readonly number[]): string {
  const values = named.map((index) => {
    const value = rows.columns[index]?.[row] ?? null;
    return [columns[index]?.name ?? "", typeof value === "bigint" ? String(value) : value] as const;
  });
  return JSON.stringify(Object.fromEntries(values));
}
