import { posix } from "node:path";
import { visible } from "../../base/text/visible.js";
import { cachedAsc } from "../../compiler/cache/cached-asc.js";
import { Coverage, type CoveredSource } from "../../testing/coverage.js";
import { jsonFiles } from "../../testing/json/json-files.js";
import { compileSuite } from "../../testing/matchstick/compile-suite.js";
import {
  findHandlers,
  type HandlerFunction,
  reportHandlers,
} from "../../testing/matchstick/handler-functions.js";
import { runSuite } from "../../testing/matchstick/run-suite.js";
import { type SuiteFile, suiteFiles } from "../../testing/matchstick/suite-files.js";
import type { SuiteOutcome } from "../../testing/outcome.js";
import type { Terminal } from "../terminal/terminal.js";
import { UsageError } from "../terminal/usage/usage-error.js";
import { type JsonSuite, readJsonSuites, runJsonSuite } from "./json-suites.js";
import type { TestProject, WrittenProject } from "./test-project.js";
import type { TestTools } from "./test-tools.js";
import { buildTested } from "./tested-builds.js";

/** Finds out which handlers a project's tests run. */
interface Covering {
  readonly coverage: Coverage;
  /** The functions of handlers, which tests in AssemblyScript call. */
  readonly functions: readonly HandlerFunction[];
}

/** The outcome of a project's tests. */
export interface ProjectOutcome {
  readonly outcomes: readonly SuiteOutcome[];
  /** The handlers that the tests ran, if requested and the subgraph can be built. */
  readonly covered?: readonly CoveredSource[] | undefined;
}

/** Levels of folders below the folder of tests. */
const depth = 10;

/**
 * Runs the tests of a project: those in AssemblyScript, then those in JSON.
 * @param show called after each file
 * @returns `undefined` if the user interrupted the run
 * @throws UsageError if there is nothing to test; BundleError, SchemaError for a build that cannot run; DatabaseError
 */
export async function runProject(
  project: TestProject,
  tools: TestTools,
  terminal: Terminal,
  show: (outcome: SuiteOutcome) => void,
): Promise<ProjectOutcome | undefined> {
  const { written } = project;
  const { assembly, json } = await findSuites(project, tools);
  if (!written && assembly.length > 0) terminal.err(leftOut(project, assembly));
  const covering = tools.args.coverage && written ? await coverProject(written, project) : undefined;
  const outcomes: SuiteOutcome[] = [];
  const note = (outcome: SuiteOutcome): void => {
    outcomes.push(outcome);
    show(outcome);
  };
  if (written) {
    for (const suite of assembly) {
      const outcome = await runAssembly(suite, { project, written, covering }, tools, terminal);
      if (terminal.signal.aborted) return undefined;
      note(outcome);
    }
  }
  const coverage = await runJson(json, { project, coverage: covering?.coverage }, { tools, terminal, note });
  if (terminal.signal.aborted) return undefined;
  return { outcomes, covered: coverage?.sources };
}

/** The test files that the command line means. @throws UsageError if there are none */
async function findSuites(
  project: TestProject,
  { host }: TestTools,
): Promise<{ readonly assembly: readonly SuiteFile[]; readonly json: readonly JsonSuite[] }> {
  const { folder, settings, wanted, written } = project;
  const tests = host.resolveBeside(`${folder}/x`, settings.tests);
  const inTests = `${testsFolder(project)}/`;
  const beginnings = wanted
    .map((name) => name.replace(/^\.\//, ""))
    .map((name) => (name.startsWith(inTests) ? name.slice(inTests.length) : name));
  const files = (await host.filesUnder?.(tests, depth)) ?? [];
  const assembly = suiteFiles(files, beginnings);
  const json = await readJsonSuites(jsonFiles(files, beginnings), tests, host);
  if (json.length > 0 || (written && assembly.length > 0)) return { assembly, json };
  throw new UsageError(assembly.length > 0 ? leftOut(project, assembly).trimEnd() : noSuites(project));
}

/** The folder of tests, as shown to the user. */
function testsFolder({ settings }: TestProject): string {
  return settings.tests.replace(/^\.\/|\/$/g, "");
}

function noSuites({ settings, wanted, written }: TestProject): string {
  const place = visible(settings.tests);
  const kinds = written ? "*.test.ts or *.json" : "*.json";
  if (wanted.length === 0) return `No tests have been written yet: ${place} has no file named ${kinds}.`;
  const names = wanted.map((name) => visible(name)).join(", ");
  return `No test file in ${place} has a name that begins with ${names}.`;
}

function leftOut(project: TestProject, [first, ...others]: readonly SuiteFile[]): string {
  const file = visible(`${testsFolder(project)}/${first?.path}`);
  const more = others.length > 0 ? ` and ${others.length} more` : "";
  return `${file}${more}: tests in AssemblyScript are for a subgraph.yaml with mappings of your own. Write the tests of a configuration in JSON.\n`;
}

interface WrittenTests {
  readonly project: TestProject;
  readonly written: WrittenProject;
  readonly covering: Covering | undefined;
}

async function runAssembly(
  { name, path }: SuiteFile,
  { project, written, covering }: WrittenTests,
  { asc, cache }: TestTools,
  terminal: Terminal,
): Promise<SuiteOutcome> {
  const file = `${testsFolder(project)}/${path}`;
  const change = covering && reportHandlers(covering.functions);
  terminal.onCompiling?.(true);
  const compiled = await compileSuite(file, written, cache ? cachedAsc(asc, cache) : asc, change).finally(
    () => terminal.onCompiling?.(false),
  );
  if (compiled.kind === "rejected") return { name, file, tests: [], broken: compiled.lines, around: [] };
  return runSuite({ name, file, compiled: compiled.compiled }, written.subgraph, {
    now: () => performance.now(),
    ...(covering && { onHandler: (number) => noteFunction(covering, number) }),
  });
}

interface Running {
  readonly tools: TestTools;
  readonly terminal: Terminal;
  note(outcome: SuiteOutcome): void;
}

/** @returns the handlers that all tests ran, if requested and known */
async function runJson(
  suites: readonly JsonSuite[],
  {
    project,
    coverage: ofAssembly,
  }: { readonly project: TestProject; readonly coverage: Coverage | undefined },
  { tools, terminal, note }: Running,
): Promise<Coverage | undefined> {
  if (suites.length === 0) return ofAssembly;
  const builds = await buildTested(project, tools, terminal);
  const coverage =
    ofAssembly ??
    (tools.args.coverage && builds ? new Coverage(builds.flatMap(({ sources }) => sources)) : undefined);
  for (const suite of suites) {
    const options = {
      file: `${testsFolder(project)}/${suite.path}`,
      builds,
      onHandler: (handler: string, source: string) => coverage?.note(handler, source),
    };
    const outcome = await runJsonSuite(suite, options, tools, terminal);
    if (terminal.signal.aborted) break;
    note(outcome);
  }
  return coverage;
}

/** Prepares the coverage of a hand-written project before its first test. */
async function coverProject(
  { manifest, read }: WrittenProject,
  { settings }: TestProject,
): Promise<Covering> {
  const folder = posix.dirname(settings.manifest);
  const sources = manifest.sources.map((source) => ({
    ...source,
    mapping: posix.join(folder, source.mapping),
  }));
  return { coverage: new Coverage(sources), functions: await findHandlers(sources, read) };
}

/** Notes that a test ran the function with this number. */
function noteFunction({ coverage, functions }: Covering, number: number): void {
  for (const { handler, source } of functions[number]?.handles ?? []) coverage.note(handler, source);
}
