import { InternalError } from "../base/invariant.js";
import { type Asc, startAsc } from "../node/asc.js";
import type { AscInput, Optimization } from "./asc/asc.js";
import { checkWasm } from "./asc/check-wasm.js";
import type { CacheStore } from "./cache/cache-store.js";
import { compileOnce } from "./cache/compile-once.js";
import type { Diagnostic } from "./diagnostics/diagnostic.js";
import { Report } from "./diagnostics/report.js";
import { buildFiles } from "./emit/build-files.js";
import { emit } from "./emit/emit.js";
import type { EmittedFile, Origin } from "./emit/emitted-file.js";
import { originsOf } from "./emit/origins.js";
import { Templates, templateNames } from "./emit/templates.js";
import type { Host } from "./host.js";
import { load } from "./load/load.js";
import type { SubgraphModel } from "./model/subgraph.js";
import type { ExpressionParser } from "./resolve/expression-parser.js";
import { resolve } from "./resolve/resolve.js";
import type { ValidProject } from "./validate/config.js";
import { validate } from "./validate/validate.js";

/** What may be said beside the configuration. */
export interface CompileOptions {
  /** Wins over the configuration's name. */
  readonly name?: string | undefined;
  /** Wins over the configuration's version. */
  readonly version?: string | undefined;
  /** What the subgraph is, in words of your own; every manifest says it. */
  readonly description?: string | undefined;
  /** Turns `enableCallHandlers` on; false or absent leaves what the configuration says. */
  readonly callHandlers?: boolean | undefined;
}

/** What a configuration compiles to. `ok` is false exactly if an error was reported; there are no files then. */
export interface Compilation {
  readonly ok: boolean;
  /** Errors, warnings and notes, in the order a reader works through the files. */
  readonly diagnostics: readonly Diagnostic[];
  /** Every file of the project, by path relative to it; the WASM and the rest of the build only from `build`. */
  readonly files: ReadonlyMap<string, string | Uint8Array>;
  /** Where in the files the configuration's own expressions stand, by path. */
  readonly origins: ReadonlyMap<string, readonly Origin[]>;
  /** What was compiled; absent when not `ok`. */
  readonly model?: SubgraphModel;
}

/** What a build may be given. */
export interface BuildOptions extends CompileOptions {
  /** A compiler that is running already; without it one is started and ended. */
  readonly asc?: Asc;
  /**
   * Called before the parser of expressions is loaded, by far the largest script there is: whoever can have it faster
   * than from its file may see to it here.
   */
  readonly loadParser?: (() => Promise<void>) | undefined;
  /** How hard `build` optimises the WASM; `fast` unless said otherwise. */
  readonly optimize?: Optimization;
  /** Where what the compiler makes of a program is kept, and looked up before it is made another time. */
  readonly cache?: CacheStore | undefined;
}

/**
 * Compiles a configuration to the sources of a subgraph. Nothing is written.
 * Expressions are parsed and their references resolved; their types are checked by `check` and `build`.
 * @param configPath as the host reads it; `-` is standard input
 */
export async function compile(
  configPath: string,
  host: Host,
  options: CompileOptions = {},
): Promise<Compilation> {
  const report = new Report();
  const sources = await compileSources(report, configPath, host, options);
  return outcome(report, sources);
}

/** Compiles a configuration and type-checks every expression in it, without making WASM. Nothing is written. */
export async function check(
  configPath: string,
  host: Host,
  options: BuildOptions = {},
): Promise<Compilation> {
  const report = new Report();
  return withAsc(options.asc, async (asc) => {
    const sources = await compileSources(report, configPath, host, options);
    // Generated code alone has no type errors: only what a user wrote needs the compiler's opinion.
    const hasExpressions = sources?.files.some(({ expressions }) => expressions.length > 0);
    if (sources && hasExpressions) await runAsc(asc, sources.files, host, "check", report, options.cache);
    return outcome(report, sources);
  });
}

/** Compiles a configuration all the way to WASM. Nothing is written. */
export async function build(
  configPath: string,
  host: Host,
  options: BuildOptions = {},
): Promise<Compilation> {
  const report = new Report();
  return withAsc(options.asc, async (asc) => {
    const sources = await compileSources(report, configPath, host, options);
    const mode = report.failed ? "check" : (options.optimize ?? "fast");
    const wasm = sources && (await runAsc(asc, sources.files, host, mode, report, options.cache));
    if (!sources || !wasm) return outcome(report, undefined);
    checkWasm(wasm, sources.model, sources.files, report);
    return outcome(report, sources, buildFiles(sources.model, wasm, sources.templates));
  });
}

/** Nobody reads more errors at once, so the compiler need not look for more. */
const enoughErrors = 50;

/** The project's own files and what they were printed from. */
interface Sources {
  readonly model: SubgraphModel;
  readonly files: readonly EmittedFile[];
  readonly templates: Templates;
}

function outcome(
  report: Report,
  sources: Sources | undefined,
  built: Compilation["files"] = new Map(),
): Compilation {
  const { diagnostics } = report;
  if (!sources || report.failed) return { ok: false, diagnostics, files: new Map(), origins: new Map() };
  const { model, files } = sources;
  return {
    ok: true,
    diagnostics,
    files: new Map([...files.map(({ path, text }) => [path, text] as const), ...built]),
    origins: new Map(
      files.flatMap((file) => (file.expressions.length > 0 ? [[file.path, originsOf(file)]] : [])),
    ),
    model,
  };
}

/** The phases up to the emitted sources, in order. */
async function compileSources(
  report: Report,
  configPath: string,
  host: Host,
  options: CompileOptions & Pick<BuildOptions, "loadParser">,
): Promise<Sources | undefined> {
  const loaded = await load(configPath, host, report);
  const valid = loaded && validate(loaded, report);
  if (!valid) return undefined;
  const project = options.callHandlers ? { ...valid, enableCallHandlers: true } : valid;
  const resolved = resolve(project, await expressionParser(project, options), report);
  if (!resolved || report.errorCount >= enoughErrors) return undefined;
  const model = {
    ...resolved,
    name: options.name ?? resolved.name,
    version: options.version ?? resolved.version,
    description: options.description,
  };
  const templates = await readTemplates(host);
  return { model, files: emit(model, templates), templates };
}

/** Loads TypeScript's parser only for configurations that have expressions. */
async function expressionParser(
  project: ValidProject,
  { loadParser }: Pick<BuildOptions, "loadParser">,
): Promise<ExpressionParser> {
  if (project.instances.some(({ enrich }) => enrich !== undefined)) {
    await loadParser?.();
    return import("./syntax/parse-expression.js");
  }
  const none = (): never => {
    throw new InternalError("a configuration without enrichment has an expression");
  };
  return { parseExpression: none, parseExpressionList: none };
}

async function readTemplates(host: Host): Promise<Templates> {
  const texts = new Map(
    await Promise.all(
      templateNames.map(async (name) => [name, await host.readTemplate(`${name}.hbs`)] as const),
    ),
  );
  return new Templates(texts);
}

/** Runs a task with a compiler that starts up while the task still reads and resolves. */
async function withAsc<T>(given: Asc | undefined, task: (asc: Asc) => Promise<T>): Promise<T> {
  const asc = given ?? startAsc();
  try {
    return await task(asc);
  } finally {
    if (!given) await asc.close();
  }
}

/** Compiles the mappings; `undefined` after a reported error and in mode `check`. */
async function runAsc(
  asc: Asc,
  files: readonly EmittedFile[],
  host: Host,
  mode: AscInput["mode"],
  report: Report,
  cache: CacheStore | undefined,
): Promise<Uint8Array | undefined> {
  const sources = files.filter(({ path }) => path.endsWith(".ts"));
  const input: AscInput = {
    entry: "src/mapping.ts",
    expressions: files.flatMap(({ path, expressions }) =>
      expressions.map(({ start, end }) => ({ file: path, start, end })),
    ),
    files: new Map(sources.map(({ path, text }) => [path, text])),
    graphTs: await host.packageSources("@graphprotocol/graph-ts"),
    mode,
  };
  const output = await compileOnce(input, asc, cache);
  // Without expressions there is nothing to bring home, and TypeScript's parser need not be loaded.
  const isOurs = files.every(({ expressions }) => expressions.length === 0);
  if (!(isOurs && output.kind === "compiled")) {
    const { reportVerdict } = await import("./verdict/verdict.js");
    reportVerdict(output, files, report);
  }
  return output.kind === "compiled" ? output.wasm : undefined;
}
