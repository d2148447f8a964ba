import type { AscCrash, AscInput, AscMessage, AscOutput, AscPlace, AscTyped } from "./asc.js";
import type { ParsedAhead } from "./asc-parse-ahead.js";
import type { SourceRange } from "./asc-source-range.js";
import { type CompilerInternals, MISSING_EXPRESSION, type Trace, trace } from "./asc-trace.js";
import { type BinaryenModule, type OptimizableModule, optimizeFast } from "./optimize-fast.js";

export type { CompilerInternals } from "./asc-trace.js";

/** The used part of `assemblyscript/cli/asc`. */
export interface AscModule {
  readonly libraryFiles: Readonly<Record<string, string>>;
  main(argv: readonly string[], options: AscOptions, callback: (error: Error | null) => number): number;
}

/** The loaded compiler and optimizer. */
export interface LoadedAsc {
  readonly asc: AscModule;
  readonly internals: CompilerInternals;
  readonly binaryen: BinaryenModule;
  readonly ahead: ParsedAhead;
}

interface AscOptions {
  readonly transforms: readonly { afterCompile(module: OptimizableModule): void }[];
  readonly stdout: { write(text: string): void };
  readonly stderr: { write(text: string): void };
  readFile(name: string, folder: string): string | null;
  writeFile(name: string, content: Uint8Array | string): void;
  listFiles(): string[];
  reportDiagnostic(diagnostic: AscDiagnostic): void;
}

interface AscDiagnostic {
  readonly message: string;
  readonly code: number;
  /** 0 pedantic, 1 info, 2 warning, 3 error. */
  readonly category: number;
  readonly range: SourceRange | null;
  readonly relatedRange: SourceRange | null;
}

const UNKNOWN_MEMBER = 2339;
const NOT_ASSIGNABLE = 2322;
const NO_ELEMENTS = 2329;
const GRAPH_TS = "@graphprotocol/graph-ts";
const PROJECT = ".";
const PACKAGES = "node_modules";
const OUTPUT = "out.wasm";
const SEVERITIES = ["info", "info", "warning", "error"] as const;

/** Runs one compilation in memory. Never throws: crashes are part of the output. */
export function runAsc(
  { asc, internals, binaryen, ahead }: LoadedAsc,
  input: AscInput,
  printed: string[],
): AscOutput {
  const found: AscDiagnostic[] = [];
  const written = new Map<string, Uint8Array | string>();
  let failure: Error | undefined;
  printed.length = 0;
  const offered = ahead.offer();
  const traced = trace(internals, input.files, input.expressions);
  try {
    asc.main(
      argumentsFor(input),
      {
        stdout: { write: () => undefined },
        stderr: { write: () => undefined },
        readFile: (name, folder) => readFile(input, name, folder),
        writeFile: (name, content) => {
          written.set(name, content.slice());
        },
        listFiles: () => [],
        transforms:
          input.mode === "fast" ? [{ afterCompile: (module) => optimizeFast(binaryen, module) }] : [],
        reportDiagnostic: (diagnostic) => {
          if (!diagnostic.message.endsWith(MISSING_EXPRESSION)) found.push(diagnostic);
        },
      },
      (error) => {
        failure = error ?? undefined;
        // After a zero, the compiler would continue past a syntax error and report success.
        return error ? 1 : 0;
      },
    );
  } catch (error) {
    return crashed(traced.crash?.error ?? error, traced.crash?.at, printed);
  } finally {
    traced.restore();
    offered.restore();
  }
  const shorten = typeNameShortener(modulePaths(asc, input));
  const messages = found.map((diagnostic) => toMessage(diagnostic, input, traced, shorten));
  const types = traced.types().map((typed) => ({ ...typed, type: shorten(typed.type) }));
  const crashes = traced.survived.map(({ error, at }) => crashOf(error, at, printed));
  if (crashes.length > 0 || messages.some(({ severity }) => severity === "error")) {
    return { kind: "rejected", messages, crashes, types };
  }
  if (failure) return crashed(failure, undefined, printed);
  return { kind: "compiled", ...outputOf(written), warnings: messages, types };
}

function outputOf(
  written: ReadonlyMap<string, Uint8Array | string>,
): Pick<AscOutput & { readonly kind: "compiled" }, "wasm" | "sourceMap"> {
  const [wasm, sourceMap] = [written.get(OUTPUT), written.get(`${OUTPUT}.map`)];
  return {
    ...(typeof wasm === "object" && { wasm }),
    ...(typeof sourceMap === "string" && { sourceMap }),
  };
}

/**
 * Parses the libraries that every compilation uses, one file per step: the compiler's standard library and
 * graph-ts.
 */
export function librarySteps(
  asc: AscModule,
  ahead: ParsedAhead,
  graphTs: AscInput["graphTs"],
): Iterator<void> {
  const own = Object.keys(asc.libraryFiles).filter((name) => !name.includes("/"));
  const roots = [`~lib/${GRAPH_TS}`, `${PACKAGES}/${GRAPH_TS}`];
  return ahead.parse(
    [...own.map((name) => `~lib/${name}`), ...roots.map((root) => `${root}/index`)],
    (path) => {
      const root = roots.find((each) => path.startsWith(`${each}/`));
      if (root !== undefined) return graphTs.get(`${path.slice(root.length + 1)}.ts`);
      return path.startsWith("~lib/") ? asc.libraryFiles[path.slice("~lib/".length)] : undefined;
    },
  );
}

/**
 * graph-cli's flags in its order. Mode `fast` omits its optimizer; mode `check` omits the passes that report nothing.
 * Mode `test` uses matchstick's flags except its optimizer, which would blur the locations of failures.
 */
function argumentsFor(input: AscInput): string[] {
  // matchstick calls test functions by their position in the table.
  const exported = input.mode === "test" ? "--exportTable" : "--exportRuntime";
  const dialect = ["--explicitStart", exported, "--runtime", "stub"];
  const folders = ["--baseDir", PROJECT, "--lib", PACKAGES];
  if (input.mode === "check") return [...dialect, input.entry, ...folders, "--noEmit", "--noValidate"];
  const globals = `${packagesFolder(input)}/${GRAPH_TS}/global/global.ts`;
  return [
    ...dialect,
    input.entry,
    globals,
    ...folders,
    "--outFile",
    OUTPUT,
    ...(input.mode === "full" ? ["--optimize"] : []),
    ...(input.mode === "test" ? ["--sourceMap"] : []),
    "--debug",
  ];
}

/**
 * The compiler reads project files relative to the project, and packages relative to `node_modules`. Only the file
 * with the globals is read as a project file, in graph-ts's folder.
 */
function readFile(input: AscInput, name: string, folder: string): string | null {
  const ofPackages = `${packagesFolder(input)}/`;
  const inPackages = folder === PACKAGES ? name : pathWithin(ofPackages, name);
  if (inPackages === undefined) return input.files.get(name) ?? null;
  const inGraphTs = pathWithin(`${GRAPH_TS}/`, inPackages);
  if (inGraphTs !== undefined) return input.graphTs.get(inGraphTs) ?? null;
  return input.packages?.files.get(inPackages) ?? null;
}

/** The part of a path after a folder; `undefined` if the path is elsewhere. */
function pathWithin(folder: string, path: string): string | undefined {
  return path.startsWith(folder) ? path.slice(folder.length) : undefined;
}

function packagesFolder({ packages }: AscInput): string {
  return packages?.folder ?? PACKAGES;
}

/** The path prefixes of type names in the compiler's spelling. */
function modulePaths(asc: AscModule, input: AscInput): string[] {
  const graphTs = [...input.graphTs.keys()].flatMap((path) => [
    `~lib/${GRAPH_TS}/${path}`,
    `${packagesFolder(input)}/${GRAPH_TS}/${path}`,
  ]);
  const packages = [...(input.packages?.files.keys() ?? [])].map((path) => `~lib/${path}`);
  const standard = Object.keys(asc.libraryFiles).map((name) => `~lib/${name}`);
  return [...input.files.keys(), ...graphTs, ...packages, ...standard];
}

function toMessage(
  diagnostic: AscDiagnostic,
  input: AscInput,
  traced: Trace,
  shorten: (text: string) => string,
): AscMessage {
  const { code, category, range, relatedRange } = diagnostic;
  const inProject = placeIn(input, range);
  const elsewhere = range && !inProject ? ` (in ${range.source.normalizedPath})` : "";
  const at = inProject ?? traced.blame(diagnostic);
  const related = placeIn(input, relatedRange);
  const object = code === UNKNOWN_MEMBER ? objectOf(range, input, traced.types()) : undefined;
  const members = object ? undefined : traced.membersOf(givenClass(diagnostic) ?? "");
  return {
    severity: SEVERITIES[category] ?? "error",
    code: `${code < 1000 ? "AS" : "TS"}${code}`,
    message: shorten(diagnostic.message) + elsewhere,
    ...(at && { at }),
    ...(related && { related }),
    ...(object && {
      message:
        shorten(diagnostic.message.replace(/on type '[^']*'/, `on type '${classOf(object)}'`)) + elsewhere,
      members: traced.membersOf(classOf(object)),
    }),
    ...(members && members.length > 0 && { members }),
  };
}

/** The type of an object that lacks a requested member. The compiler may name a base class instead. */
function objectOf(
  range: SourceRange | null,
  input: AscInput,
  types: readonly AscTyped[],
): AscTyped | undefined {
  const text = range && input.files.get(range.source.normalizedPath);
  if (!range || text === undefined || text === null) return undefined;
  const before = types.filter(
    ({ file, end }) =>
      file === range.source.normalizedPath &&
      end < range.start &&
      /^[\s)!]*\.\s*$/.test(text.slice(end, range.start)),
  );
  return before.sort((a, b) => b.end - a.end || a.start - b.start)[0];
}

function classOf({ type }: AscTyped): string {
  return withoutNull(type);
}

/** The class of a value that has the wrong type or no elements. */
function givenClass({ code, message }: AscDiagnostic): string | undefined {
  const given = code === NOT_ASSIGNABLE || code === NO_ELEMENTS ? /'([^']*)'/.exec(message)?.[1] : undefined;
  return given === undefined ? undefined : withoutNull(given);
}

function withoutNull(type: string): string {
  return type.replace(/ \| null$/, "");
}

function placeIn(input: AscInput, range: SourceRange | null): AscPlace | undefined {
  if (!range || !input.files.has(range.source.normalizedPath)) return undefined;
  return { file: range.source.normalizedPath, start: range.start, end: range.end };
}

function crashed(error: unknown, at: AscPlace | undefined, printed: readonly string[]): AscOutput {
  return { kind: "crashed", ...crashOf(error, at, printed) };
}

function crashOf(error: unknown, at: AscPlace | undefined, printed: readonly string[]): AscCrash {
  // Binaryen prints the reason, but throws a meaningless value.
  const fatal = printed.find((line) => line.startsWith("Fatal: "));
  const message = fatal ?? (error instanceof Error ? error.message : String(error));
  return { message, ...(at && { at }) };
}

/**
 * Makes a function that rewrites the path-qualified types in the compiler's messages to short names:
 * `~lib/@graphprotocol/graph-ts/common/numbers/BigInt` to `BigInt`, `~lib/string/String` to `string`.
 * @param files full paths of all source files; a path without a name after it stays unchanged
 */
function typeNameShortener(files: readonly string[]): (text: string) => string {
  let pattern: RegExp | undefined;
  return (text) => {
    pattern ??= patternFor(files);
    return text.replaceAll("~lib/string/String", "string").replaceAll(pattern, "");
  };
}

function patternFor(files: readonly string[]): RegExp {
  const modules = files.map((path) => path.replace(/\.ts$/, ""));
  // Longest first: an alternation takes the first match, and `generated/Tok` is a prefix of
  // `generated/Tok/Tok`.
  modules.sort((a, b) => b.length - a.length);
  const escaped = modules.map((path) => path.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  return new RegExp(`(?<![\\w/])(?:${escaped.join("|")})/(?=[\\w$])`, "g");
}
