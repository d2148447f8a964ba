import { dirname, resolve } from "node:path";
import type { Asc } from "../../compiler/asc/asc.js";
import type { CacheStore } from "../../compiler/cache/cache-store.js";
import type { Host } from "../../compiler/host.js";
import { buildProject } from "../../node/build-project.js";
import { createNodeWorld } from "../../node/world.js";
import type { Database } from "../../store/database/database.js";
import type { ImageStore } from "../../store/database/pglite/images.js";
import { openOwnDatabase } from "../../store/open.js";
import { manifestPath } from "../../subgraph/build.js";
import type { BuiltSubgraph } from "../../subgraph/runnable/built-subgraph.js";
import { readRunnable } from "../../subgraph/runnable/read-runnable.js";
import type { JsonFile } from "../../testing/json/json-files.js";
import { JsonTestError } from "../../testing/json/json-test.js";
import { looksLikeTest, readJsonTest } from "../../testing/json/read-json-test.js";
import { brokenTest, runJsonTest } from "../../testing/json/run-json-test.js";
import type { SuiteOutcome } from "../../testing/outcome.js";
import { reportDiagnostics } from "../compile/report-diagnostics.js";
import type { Terminal } from "../terminal/terminal.js";

/** A file with a test, and its text. */
export interface JsonSuite extends JsonFile {
  /** Absolute. */
  readonly absolute: string;
  /** Absent if the file cannot be read, or is too large. */
  readonly text: string | undefined;
}

/** The size of the largest test and of the largest file that one names, in bytes. */
const largestTest = 16 * 1024 * 1024;

/** Reads the files that may be tests, and leaves out those that are data. */
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

/** What JSON tests are run with. */
export interface JsonTools {
  readonly asc: Asc;
  /** Keeps compiled mappings and the image of the database. */
  readonly cache: (CacheStore & ImageStore) | undefined;
  readonly color: boolean;
  /** Called when a handler of a data source or a template runs. */
  readonly onHandler: (handler: string, source: string) => void;
}

/** Builds a subgraph once, and runs tests on it. */
export class JsonTests {
  readonly #built: BuiltSubgraph | undefined;
  readonly #database: Database | undefined;
  readonly #host: Host;
  readonly #terminal: Terminal;
  readonly #tools: JsonTools;

  private constructor(
    built: BuiltSubgraph | undefined,
    database: Database | undefined,
    host: Host,
    terminal: Terminal,
    tools: JsonTools,
  ) {
    this.#built = built;
    this.#database = database;
    this.#host = host;
    this.#terminal = terminal;
    this.#tools = tools;
  }

  /**
   * Builds the subgraph of a manifest, and prints what is wrong with it.
   * @param manifest absolute path
   * @throws BundleError, SchemaError for a build that cannot run; DatabaseError
   */
  static async open(manifest: string, host: Host, terminal: Terminal, tools: JsonTools): Promise<JsonTests> {
    const { asc, cache, color } = tools;
    terminal.onCompiling?.(true);
    const build = await buildProject(manifest, host, {
      ...{ asc, cache, optimize: "fast" as const },
      ...{ skipMigrations: true, takesAnyImmutable: true },
    }).finally(() => terminal.onCompiling?.(false));
    reportDiagnostics(build.diagnostics, { format: "text", color }, terminal);
    if (!build.ok) return new JsonTests(undefined, undefined, host, terminal, tools);
    const built = readRunnable({ manifest: manifestPath, files: build.files }, { arweave: true });
    const database = await openOwnDatabase(undefined, createNodeWorld(terminal.signal), cache);
    return new JsonTests(built, database, host, terminal, tools);
  }

  /** Runs the test of a file. @param file the path of the file to show */
  async run({ name, text, absolute }: JsonSuite, file: string): Promise<SuiteOutcome> {
    const suite = { name, file, around: [], broken: [] };
    if (!this.#built || !this.#database) {
      const why = "The subgraph cannot be built, so its tests cannot run.";
      return { ...suite, tests: [], broken: [{ level: "critical", text: why }] };
    }
    try {
      if (text === undefined) throw new JsonTestError("The file cannot be read, or is larger than 16 MB.");
      const test = await runJsonTest(readJsonTest(text), {
        ...{ built: this.#built, database: this.#database, signal: this.#terminal.signal },
        world: { now: () => performance.now() },
        read: (path) => bytesOf(resolve(dirname(absolute), path), this.#host),
        onHandler: this.#tools.onHandler,
      });
      return { ...suite, tests: [test] };
    } catch (error) {
      if (!(error instanceof JsonTestError)) throw error;
      return { ...suite, tests: [brokenTest(name, error)] };
    }
  }

  /** Closes the database. */
  async close(): Promise<void> {
    await this.#database?.close();
  }
}
