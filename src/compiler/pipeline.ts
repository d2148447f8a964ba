import { InternalError } from "../base/invariant.js";
import type { Asc, AscInput } from "./asc/asc.js";
import { checkWasm } from "./asc/check-wasm.js";
import type { Compilation, CompileOptions, WasmOptions } from "./compilation.js";
import { describeModel } from "./describe/describe-model.js";
import type { DescribedSource } from "./describe/described.js";
import type { Diagnostic } from "./diagnostics/diagnostic.js";
import { Report } from "./diagnostics/report.js";
import { type BuildFiles, buildFiles } from "./emit/build-files.js";
import { emit } from "./emit/emit.js";
import type { EmittedFile } from "./emit/emitted-file.js";
import { originsOf } from "./emit/origins.js";
import { Templates, templateNames } from "./emit/templates.js";
import type { Host } from "./host.js";
import { load } from "./load/load.js";
import { nameOfFile } from "./load/name-of-file.js";
import { outlineOf } from "./model/model-outline.js";
import type { SubgraphModel } from "./model/subgraph.js";
import type { ExpressionParser } from "./resolve/expression-parser.js";
import { resolve } from "./resolve/resolve.js";
import type { ValidProject } from "./validate/config.js";
import { findEmptySettings } from "./validate/empty-settings.js";
import { validate } from "./validate/validate.js";

/** Large dependencies of a compilation; loading them takes longer than loading everything else. */
export interface Tools {
  readonly asc: Asc;
  /** Loads the expression parser; called only if there are expressions. */
  parser(): Promise<ExpressionParser>;
}

/**
 * Compiles a configuration to the sources of a subgraph. Does not write files. Expressions are parsed and their
 * references resolved; `check` and `build` also type-check them.
 * @param configPath path for the host; `-` is standard input
 */
export async function compile(
  configPath: string,
  host: Host,
  tools: Pick<Tools, "parser">,
  options: CompileOptions = {},
): Promise<Compilation> {
  const report = new Report();
  const sources = await compileSources(report, configPath, host, tools, options);
  return outcome(report, sources);
}

/** The meaning of a configuration, for comparison with another one. */
export interface Description {
  readonly diagnostics: readonly Diagnostic[];
  /** Absent if there are errors. */
  readonly meaning?: {
    /** Text of `schema.graphql`. */
    readonly schema: string;
    readonly sources: readonly DescribedSource[];
    /** The subgraph's name without version; absent if the configuration has none. */
    readonly name?: string | undefined;
  };
}

/** Describes what a configuration listens to and stores. Expressions are parsed but not type-checked. */
export async function describe(
  configPath: string,
  host: Host,
  tools: Pick<Tools, "parser">,
): Promise<Description> {
  const report = new Report();
  const sources = await compileSources(report, configPath, host, tools, {});
  const { diagnostics } = report;
  const schema = sources?.files.find(({ path }) => path === "schema.graphql")?.text;
  if (!sources || report.failed || schema === undefined) return { diagnostics };
  return {
    diagnostics,
    meaning: { schema, sources: describeModel(sources.model), name: sources.model.name },
  };
}

/** Compiles a configuration and type-checks its expressions, without emitting WASM. Does not write files. */
export async function check(
  configPath: string,
  host: Host,
  tools: Tools,
  options: CompileOptions = {},
): Promise<Compilation> {
  const report = new Report();
  const sources = await compileSources(report, configPath, host, tools, options);
  // Generated code has no type errors, so only the user's own code needs the compiler.
  const isWritten =
    sources?.model.mapping || sources?.files.some(({ expressions }) => expressions.length > 0);
  if (sources && isWritten) await runAsc(tools.asc, sources, host, "check", report);
  return outcome(report, sources);
}

/** Compiles a configuration to WASM. Does not write files. */
export async function build(
  configPath: string,
  host: Host,
  tools: Tools,
  options: WasmOptions = {},
): Promise<Compilation> {
  const report = new Report();
  const sources = await compileSources(report, configPath, host, tools, options);
  const mode = report.failed ? "check" : (options.optimize ?? "fast");
  const wasm = sources && (await runAsc(tools.asc, sources, host, mode, report));
  if (!sources || !wasm) return outcome(report, undefined);
  checkWasm(wasm, sources.model, sources.files, report);
  return outcome(report, sources, buildFiles(sources.model, wasm, sources.templates));
}

/** Maximum number of errors to collect. */
const enoughErrors = 50;

/** The project's sources and the model behind them. */
interface Sources {
  readonly model: SubgraphModel;
  readonly files: readonly EmittedFile[];
  readonly templates: Templates;
}

function outcome(report: Report, sources: Sources | undefined, built?: BuildFiles): Compilation {
  const { diagnostics } = report;
  if (!sources || report.failed)
    return { ok: false, diagnostics, files: new Map(), origins: new Map(), builds: [] };
  const { model, files } = sources;
  return {
    ok: true,
    diagnostics,
    files: new Map([...files.map(({ path, text }) => [path, text] as const), ...(built?.files ?? [])]),
    origins: new Map(
      files.flatMap((file) => (file.expressions.length > 0 ? [[file.path, originsOf(file)]] : [])),
    ),
    builds: built?.builds ?? [],
    model: outlineOf(model),
  };
}

/** Runs the phases up to the emitted sources. */
async function compileSources(
  report: Report,
  configPath: string,
  host: Host,
  tools: Pick<Tools, "parser">,
  options: CompileOptions,
): Promise<Sources | undefined> {
  const loaded = await load(configPath, host, report);
  const valid = loaded && validate(loaded, report);
  if (!valid) return undefined;
  const project = options.callHandlers ? { ...valid, enableCallHandlers: true } : valid;
  const resolved = resolve(project, await expressionParser(project, tools), report);
  if (!resolved || report.errorCount >= enoughErrors) return undefined;
  if (!report.failed) findEmptySettings(loaded.config, report);
  const model = {
    ...resolved,
    name: options.name ?? resolved.name ?? nameOfFile(configPath),
    version: options.version ?? resolved.version,
    description: options.description,
  };
  const templates = await readTemplates(host);
  return { model, files: emit(model, templates), templates };
}

/** The parser is loaded only for configurations that have expressions. */
async function expressionParser(
  project: ValidProject,
  tools: Pick<Tools, "parser">,
): Promise<ExpressionParser> {
  if (project.instances.some(({ enrich }) => enrich !== undefined)) return tools.parser();
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

/** Compiles the mappings. Returns `undefined` after a reported error and in mode `check`. */
async function runAsc(
  asc: Asc,
  { files, model }: Sources,
  host: Host,
  mode: AscInput["mode"],
  report: Report,
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
  const output = await asc.compile(input);
  // Without expressions there is nothing to trace back, so TypeScript's parser does not have to be loaded.
  const isOurs = !model.mapping && files.every(({ expressions }) => expressions.length === 0);
  if (!(isOurs && output.kind === "compiled")) {
    const { reportVerdict } = await import("./verdict/verdict.js");
    reportVerdict(output, files, model, report);
  }
  return output.kind === "compiled" ? output.wasm : undefined;
}
