import { dirname, resolve } from "node:path";
import type { Host } from "../../compiler/host.js";
import type { JsonFile } from "../../testing/json/json-files.js";
import { JsonTestError } from "../../testing/json/json-test.js";
import { looksLikeTest, readJsonTest } from "../../testing/json/read-json-test.js";
import { brokenTest, runJsonTest } from "../../testing/json/run-json-test.js";
import type { SuiteOutcome } from "../../testing/outcome.js";
import type { Terminal } from "../terminal/terminal.js";
import type { TestTools } from "./test-tools.js";
import { buildFor, sourceOn, type TestedBuild } from "./tested-builds.js";

/** A file with a test, and its text. */
export interface JsonSuite extends JsonFile {
  readonly absolute: string;
  /** Absent if the file cannot be read, or is too large. */
  readonly text: string | undefined;
}

/** The largest test, and the largest file that a test names, in bytes. */
const largestTest = 16 * 1024 * 1024;

/** Reads the files that may be tests, and leaves out plain data. */
export async function readJsonSuites(
  files: readonly JsonFile[],
  folder: string,
  host: Host,
): Promise<readonly JsonSuite[]> {
  const suites: JsonSuite[] = [];
  for (const file of files) {
    const absolute = resolve(folder, file.path);
    const bytes = await bytesOf(absolute, host);
    const text = bytes && Buffer.from(bytes).toString("utf8");
    if (file.isCertain || text === undefined || looksLikeTest(text)) suites.push({ ...file, absolute, text });
  }
  return suites;
}

async function bytesOf(path: string, host: Host): Promise<Uint8Array | undefined> {
  const read = await host.readFile(path, largestTest);
  return read.kind === "bytes" ? read.bytes : undefined;
}

/** The dependencies of a test's run. */
export interface JsonSuiteOptions {
  /** The path of the file to show. */
  readonly file: string;
  /** One for each chain; `undefined` if the subgraph has errors. */
  readonly builds: readonly TestedBuild[] | undefined;
  /** Called when a handler of a data source or a template runs. */
  readonly onHandler: (handler: string, source: string) => void;
}

/** Runs the test of a file. @throws DatabaseError */
export async function runJsonSuite(
  { name, text, absolute }: JsonSuite,
  { file, builds, onHandler }: JsonSuiteOptions,
  { database, host }: TestTools,
  { signal }: Terminal,
): Promise<SuiteOutcome> {
  const suite = { name, file, around: [], broken: [] };
  if (!builds) {
    const why = "The subgraph cannot be built, so its tests cannot run.";
    return { ...suite, tests: [], broken: [{ level: "critical", text: why }] };
  }
  try {
    if (text === undefined) throw new JsonTestError("The file cannot be read, or is larger than 16 MB.");
    const test = readJsonTest(text);
    const { built, chain, placeOf } = buildFor(test, builds);
    const outcome = await runJsonTest(test, {
      built,
      database: await database(),
      signal,
      placeOf,
      world: { now: () => performance.now() },
      read: (path) => bytesOf(resolve(dirname(absolute), path), host),
      onHandler: (handler, source) =>
        onHandler(handler, builds.length > 1 && chain !== undefined ? sourceOn(chain, source) : source),
    });
    return { ...suite, tests: [outcome] };
  } catch (error) {
    if (!(error instanceof JsonTestError)) throw error;
    return { ...suite, tests: [brokenTest(name, error)] };
  }
}
