import { resolve } from "node:path";
import { visible } from "../../base/visible.js";
import type { Asc } from "../../compiler/asc/asc.js";
import { cachedAsc } from "../../compiler/cache/cached-asc.js";
import { startAsc } from "../../node/asc.js";
import { createNodeHost } from "../../node/host.js";
import { writeOwnFile } from "../../node/write-own-file.js";
import { BundleError } from "../../subgraph/bundle-error.js";
import { SchemaError } from "../../subgraph/schema/entity-schema.js";
import { jsonFiles } from "../../testing/json/json-files.js";
import { compileSuite } from "../../testing/matchstick/compile-suite.js";
import { reportHandlers } from "../../testing/matchstick/handler-functions.js";
import { SettingsError } from "../../testing/matchstick/read-settings.js";
import { runSuite } from "../../testing/matchstick/run-suite.js";
import { type SuiteFile, suiteFiles } from "../../testing/matchstick/suite-files.js";
import { isClean, type SuiteOutcome } from "../../testing/outcome.js";
import { openCache } from "../cache/open-cache.js";
import { exitCodes } from "../terminal/exit-codes.js";
import type { CacheArguments } from "../terminal/options.js";
import type { Terminal } from "../terminal/terminal.js";
import { UsageError } from "../terminal/usage-error.js";
import { type Covering, coverProject, noteFunction } from "./covering.js";
import { JsonTests, readJsonSuites } from "./json-suites.js";
import { junitBeginning, junitReport } from "./junit-report.js";
import { coverageText } from "./show-coverage.js";
import { inBlack, inColor, suiteText, summaryText } from "./show-suite.js";
import { openTestProject, type TestProject } from "./test-project.js";

/** Arguments of `test`. */
export interface TestArguments extends CacheArguments {
  readonly names?: readonly string[] | undefined;
  readonly recompile: boolean;
  /** The file of the report for CI servers, relative to the current folder. */
  readonly junit?: string | undefined;
  /** Whether to show which handlers the tests run. */
  readonly coverage: boolean;
  readonly color: boolean;
}

/** Levels of folders below the folder of tests. */
const depth = 10;

/** Runs the tests of a project and shows them; returns the exit code. */
export async function runTests(args: TestArguments, terminal: Terminal): Promise<number> {
  try {
    return await testProject(args, terminal);
  } catch (error) {
    const isExpected = [BundleError, SchemaError, SettingsError].some((kind) => error instanceof kind);
    if (!isExpected) throw error;
    terminal.err(`${visible((error as Error).message)}\n`);
    return exitCodes.diagnostics;
  }
}

async function testProject(args: TestArguments, terminal: Terminal): Promise<number> {
  const host = createNodeHost({ cwd: terminal.cwd });
  const project = await openTestProject(args.names ?? [], host, terminal);
  const { folder, settings, wanted } = project;
  const tests = host.resolveBeside(`${folder}/x`, settings.tests);
  const inTests = `${testsFolder(project)}/`;
  const beginnings = wanted
    .map((name) => name.replace(/^\.\//, ""))
    .map((name) => (name.startsWith(inTests) ? name.slice(inTests.length) : name));
  const files = (await host.filesUnder?.(tests, depth)) ?? [];
  const suites = suiteFiles(files, beginnings);
  const jsonSuites = await readJsonSuites(jsonFiles(files, beginnings), tests, host);
  if (suites.length + jsonSuites.length === 0) throw new UsageError(noSuites(settings.tests, wanted));
  const style = args.color && terminal.outColor ? inColor : inBlack;
  const asc = terminal.asc ?? startAsc();
  const cache = args.recompile ? undefined : openCache(args, terminal);
  const covering = args.coverage ? await coverProject(project) : undefined;
  const outcomes: SuiteOutcome[] = [];
  const show = (outcome: SuiteOutcome): void => {
    outcomes.push(outcome);
    terminal.out(suiteText(outcome, style));
  };
  let jsonTests: JsonTests | undefined;
  try {
    for (const suite of suites) {
      const cached = cache ? cachedAsc(asc, cache) : asc;
      const outcome = await testSuite(suite, { project, covering, asc: cached }, terminal);
      if (terminal.signal.aborted) return exitCodes.interrupted;
      show(outcome);
    }
    if (jsonSuites.length > 0) {
      const onHandler = (handler: string, source: string) => covering?.coverage.note(handler, source);
      const tools = { asc, cache, color: args.color, onHandler };
      jsonTests = await JsonTests.open(
        host.resolveBeside(`${folder}/x`, settings.manifest),
        host,
        terminal,
        tools,
      );
    }
    for (const suite of jsonSuites) {
      const outcome = await jsonTests?.run(suite, `${inTests}${suite.path}`);
      if (terminal.signal.aborted) return exitCodes.interrupted;
      if (outcome) show(outcome);
    }
  } finally {
    await jsonTests?.close();
    if (asc !== terminal.asc) await asc.close();
  }
  if (covering) terminal.out(coverageText(covering.coverage.sources, style));
  terminal.out(summaryText(outcomes, style));
  if (args.junit !== undefined) {
    const path = resolve(terminal.cwd, args.junit);
    const failure = await writeOwnFile(path, junitReport(outcomes), junitBeginning);
    if (failure !== undefined) {
      terminal.err(`${visible(args.junit)} cannot be written: ${visible(failure)}\n`);
      return exitCodes.diagnostics;
    }
  }
  return outcomes.every(isClean) ? exitCodes.clean : exitCodes.diagnostics;
}

/** The folder of tests as it is shown. */
function testsFolder({ settings }: Pick<TestProject, "settings">): string {
  return settings.tests.replace(/^\.\/|\/$/g, "");
}

function noSuites(folder: string, wanted: readonly string[]): string {
  const place = visible(folder);
  if (wanted.length === 0)
    return `No tests have been written yet: ${place} has no file named *.test.ts or *.json.`;
  const names = wanted.map((name) => visible(name)).join(", ");
  return `No test file in ${place} has a name that begins with ${names}.`;
}

/** What test files are compiled and run with. */
interface SuiteTools {
  readonly project: TestProject;
  readonly covering: Covering | undefined;
  readonly asc: Asc;
}

async function testSuite(
  { name, path }: SuiteFile,
  { project, covering, asc }: SuiteTools,
  terminal: Terminal,
): Promise<SuiteOutcome> {
  const file = `${testsFolder(project)}/${path}`;
  terminal.onCompiling?.(true);
  const change = covering && reportHandlers(covering.functions);
  const compiled = await compileSuite(file, project, asc, change).finally(() =>
    terminal.onCompiling?.(false),
  );
  if (compiled.kind === "rejected") return { name, file, tests: [], broken: compiled.lines, around: [] };
  const suite = { name, file, compiled: compiled.compiled };
  return runSuite(suite, project.subgraph, {
    now: () => performance.now(),
    ...(covering && { onHandler: (number) => noteFunction(covering, number) }),
  });
}
