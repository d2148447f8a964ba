import { dirname, join, relative, resolve } from "node:path";
import type { Optimization } from "../../compiler/asc/asc.js";
import type { BuildProjectOptions } from "../../node/build-project.js";
import { createNodeHost } from "../../node/host.js";
import { openCache } from "../cache/open-cache.js";
import type { CacheArguments, ReportArguments } from "../terminal/options.js";
import type { Terminal } from "../terminal/terminal.js";
import { type BuildTask, buildOnce } from "./build-once.js";

interface SharedArguments extends ReportArguments {
  readonly manifest: string;
  readonly skipMigrations: boolean;
  readonly ipfs?: string | undefined;
  readonly watch: boolean;
}

/** Arguments of `codegen`. */
export interface CodegenArguments extends SharedArguments {
  readonly outputDir?: string | undefined;
}

/** Arguments of `build`. */
export interface BuildArguments extends SharedArguments, CacheArguments {
  readonly outputDir: string;
  readonly types?: string | undefined;
  readonly network?: string | undefined;
  readonly networkFile: string;
  readonly optimize: Optimization;
}

/** Generates the types of a subgraph; returns the exit code. */
export async function generateTypes(args: CodegenArguments, terminal: Terminal): Promise<number> {
  const manifest = await manifestAt(args.manifest, terminal);
  const options = { until: "types", ...optionsOf(args, args.outputDir, manifest, terminal) } as const;
  return run({ manifest, options, reporting: args }, args.watch, terminal);
}

/** Generates the types of a subgraph and builds it; returns the exit code. */
export async function buildSubgraph(args: BuildArguments, terminal: Terminal): Promise<number> {
  const manifest = await manifestAt(args.manifest, terminal);
  const options: BuildProjectOptions = {
    ...optionsOf(args, args.types, manifest, terminal),
    optimize: args.optimize,
    cache: openCache(args, terminal),
    ...(args.network !== undefined && { network: { name: args.network, file: args.networkFile } }),
  };
  return run({ manifest, options, out: args.outputDir, reporting: args }, args.watch, terminal);
}

/** A folder stands for the manifest in it. */
async function manifestAt(path: string, { cwd }: Terminal): Promise<string> {
  const { kind } = await createNodeHost({ cwd }).readFile(path, 0);
  return kind === "directory" ? join(path, "subgraph.yaml") : path;
}

function optionsOf(
  { skipMigrations, ipfs }: SharedArguments,
  types: string | undefined,
  manifest: string,
  { cwd, asc, signal }: Terminal,
): BuildProjectOptions {
  const folder =
    types === undefined ? undefined : relative(dirname(resolve(cwd, manifest)), resolve(cwd, types));
  return {
    ...{ skipMigrations, asc },
    ...(folder !== undefined && { typesFolder: folder }),
    ...(ipfs !== undefined && { sourceSchema: (id: string) => fetchSchema(id, ipfs, signal) }),
  };
}

/** Fetches the schema of a deployed subgraph. */
async function fetchSchema(
  deployment: string,
  gateway: string,
  signal: AbortSignal,
): Promise<{ readonly text: string } | { readonly reason: string }> {
  const { downloadSchema } = await import("../named/download-schema.js");
  return downloadSchema(deployment, gateway, signal);
}

async function run(task: BuildTask, watch: boolean, terminal: Terminal): Promise<number> {
  if (watch) return (await import("./watch-subgraph.js")).watchSubgraph(task, terminal);
  return buildOnce(task, createNodeHost({ cwd: terminal.cwd }), undefined, terminal);
}
