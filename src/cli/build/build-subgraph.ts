import { dirname, join, relative, resolve } from "node:path";
import { inShell } from "../../base/text/in-shell.js";
import { quotePath } from "../../base/text/quote.js";
import { visible } from "../../base/text/visible.js";
import type { Optimization } from "../../compiler/asc/asc.js";
import type { BuildProjectOptions } from "../../machine/compiler/build-project.js";
import { createNodeHost } from "../../machine/files/host.js";
import { openCache } from "../cache/open-cache.js";
import { findNamed, kindWords } from "../named/find-named.js";
import type { Terminal } from "../terminal/terminal.js";
import type { CacheArguments, ReportArguments } from "../terminal/usage/options.js";
import { UsageError } from "../terminal/usage/usage-error.js";
import { type BuildTask, buildOnce } from "./build-once.js";

interface SharedArguments extends ReportArguments {
  readonly manifest: string;
  readonly skipMigrations: boolean;
  readonly ipfs?: string | undefined;
  readonly watch: boolean;
}

export interface CodegenArguments extends SharedArguments {
  readonly outputDir?: string | undefined;
}

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

/** The forms that can be built, for refusals. */
const writtenForms = "a subgraph.yaml with mappings, or its folder";

/**
 * The manifest that a word names: a file, or the one in a folder.
 * @throws UsageError if the word names something else, with examples that would work
 */
async function manifestAt(word: string, { cwd }: Terminal): Promise<string> {
  const host = createNodeHost({ cwd });
  const { kind } = await host.readFile(word, 0);
  if (kind === "directory") {
    // A configuration may be in the same folder.
    const own = join(word, "subgraph.yaml");
    if ((await host.readFile(own, 0)).kind !== "missing") return own;
  } else if (/\.ya?ml$/i.test(word)) return word;
  const named = await findNamed(word, host, writtenForms);
  if (named.kind === "project") return named.path;
  if (named.kind === "configuration" && kind === "missing")
    throw new UsageError(`There is no file or folder ${quotePath(visible(word))}.`, `Name ${writtenForms}.`);
  const way = named.kind === "configuration" ? "Compile it" : "It needs no build. Run it";
  throw new UsageError(
    `${quotePath(visible(word))} is ${kindWords[named.kind]}, not a subgraph to build.`,
    `${way}: graphloom ${named.kind === "configuration" ? `compile ${visible(named.path)}` : `dev ${inShell(word)}`}`,
    `Or name ${writtenForms}.`,
  );
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
    skipMigrations,
    asc,
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
