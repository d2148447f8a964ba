import { createHash } from "node:crypto";
import { quote, quotePath } from "../../base/text/quote.js";
import { suggest } from "../../base/text/suggest.js";
import type { GraphCliRules } from "../abi/graph-cli-rules.js";
import type { Asc, AscInput, AscOutput } from "../asc/asc.js";
import { inspectWasm } from "../asc/inspect-wasm.js";
import type { Report } from "../diagnostics/report.js";
import { collectProgram, type Program } from "./collect-program.js";
import type { ProjectManifest, ProjectSource } from "./manifest/project-manifest.js";
import type { ProjectPackages } from "./packages.js";
import { type ProjectFiles, shortest } from "./project-files.js";
import { reportOutput } from "./report-output.js";

/** A mapping, and the sources that share it. */
export interface Mapping {
  /** Path relative to the manifest's folder. */
  readonly path: string;
  /** The first source names the WASM. */
  readonly sources: readonly [ProjectSource, ...ProjectSource[]];
}

/**
 * The mappings of a project in the order in which graph-cli compiles them. Like graph-cli, compiles files with equal
 * content once.
 */
export async function mappingsOf(
  manifest: ProjectManifest,
  sources: readonly ProjectSource[],
  files: ProjectFiles,
  report: Report,
): Promise<readonly Mapping[]> {
  const byContent = new Map<string, { path: string; sources: [ProjectSource, ...ProjectSource[]] }>();
  const failed = new Set<string>();
  for (const source of sources) {
    const path = shortest(source.mapping);
    const read = await files.read(path);
    if (read.kind !== "text") {
      if (failed.has(path)) continue;
      failed.add(path);
      const at = manifest.locate([...source.path, "mapping", "file"]);
      report.error("manifest-file", at, `the mapping ${quotePath(source.mapping)} ${read.reason}`);
      continue;
    }
    const key = createHash("sha1").update(read.text).digest("hex");
    const known = byContent.get(key);
    if (known) known.sources.push(source);
    else byContent.set(key, { path, sources: [source] });
  }
  return [...byContent.values()];
}

/** The tools for compiling mappings. */
export interface Toolchain {
  readonly asc: Asc;
  readonly mode: AscInput["mode"];
  readonly files: ProjectFiles;
  readonly packages: ProjectPackages;
  /** Generated files by path relative to the manifest's folder. */
  readonly generated: ReadonlyMap<string, string>;
  readonly rules: GraphCliRules;
}

/** The WASM of each mapping without errors; none in mode `check`. */
export async function compileMappings(
  manifest: ProjectManifest,
  mappings: readonly Mapping[],
  tools: Toolchain,
  report: Report,
): Promise<ReadonlyMap<Mapping, Uint8Array>> {
  const programs = await Promise.all(
    mappings.map(({ path }) => collectProgram(path, tools.generated, tools.files, tools.packages)),
  );
  const inputs = await Promise.all(
    programs.map((program, at) => inputOf(mappings[at]?.path ?? "", program, tools)),
  );
  const outputs = await compileAll(inputs, tools.asc);
  const wasm = new Map<Mapping, Uint8Array>();
  for (const [at, mapping] of mappings.entries()) {
    const [input, output] = [inputs[at], outputs[at]];
    if (!input || !output) continue;
    reportOutput(mapping, input, output, tools, report);
    if (output.kind !== "compiled" || !output.wasm) continue;
    wasm.set(mapping, output.wasm);
    checkHandlers(manifest, mapping, output, tools.rules, report);
  }
  return wasm;
}

/**
 * Compiles the inputs, and returns the outputs in the same order. The largest programs start first, so that none runs
 * alone at the end.
 */
async function compileAll(inputs: readonly AscInput[], asc: Asc): Promise<readonly AscOutput[]> {
  const outputs = new Map<AscInput, Promise<AscOutput>>();
  for (const input of inputs.toSorted((a, b) => sizeOf(b) - sizeOf(a)))
    outputs.set(input, asc.compile(input));
  return Promise.all(inputs.flatMap((input) => outputs.get(input) ?? []));
}

function sizeOf({ files }: AscInput): number {
  let size = 0;
  for (const text of files.values()) size += text.length;
  return size;
}

async function inputOf(
  entry: string,
  { files, packages }: Program,
  { mode, packages: installed }: Toolchain,
): Promise<AscInput> {
  const { sources, folder } = await installed.graphTs();
  const isNewer = [...files.values()].some((text) => text.includes("ethereum.decodeParams"));
  return {
    entry,
    files,
    mode,
    graphTs: isNewer ? withDecodeParams(sources) : sources,
    expressions: [],
    packages: { folder, files: packages },
  };
}

/**
 * Adds the function `ethereum.decodeParams` of apiVersion 0.0.10 to graph-ts, whose releases do not declare it yet.
 * Line numbers stay the same, because the WASM contains them.
 */
function withDecodeParams(sources: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const path = "chain/ethereum.ts";
  const text = sources.get(path) ?? "";
  if (text.includes("decodeParams")) return sources;
  const declared = text.replace(
    /function decode\(types: string, data: Bytes\): Value \| null;?/,
    "function decode(types: string, data: Bytes): Value | null; function decodeParams(types: string, data: Bytes): Value | null;",
  );
  return new Map([...sources, [path, declared]]);
}

/**
 * graph-cli checks only the data source for which a mapping is compiled. Other sources' handlers fail when called.
 */
function checkHandlers(
  manifest: ProjectManifest,
  { path, sources }: Mapping,
  { wasm }: Extract<AscOutput, { kind: "compiled" }>,
  { checksHandlers }: GraphCliRules,
  report: Report,
): void {
  if (!wasm) return;
  const exported = new Set(inspectWasm(wasm).exports);
  for (const [at, source] of sources.entries()) {
    for (const { handler, path: place, list } of source.handlers) {
      if (exported.has(handler)) continue;
      const isRefused = checksHandlers && at === 0 && !source.isTemplate && list !== "handlers";
      const [near] = suggest(handler, exported);
      report[isRefused ? "error" : "warning"](
        "project-handler",
        manifest.locate([...place, "handler"]),
        `the mapping ${quotePath(path)} exports no function ${quote(handler)}`,
        { hint: near ? `write ${near}` : "export it, or remove the handler" },
      );
    }
  }
}
