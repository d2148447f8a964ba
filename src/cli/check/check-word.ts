import { quotePath } from "../../base/text/quote.js";
import { visible } from "../../base/text/visible.js";
import { buildWarnings } from "../../subgraph/runnable/judge-build.js";
import { compileProject } from "../compile/compile-project.js";
import { reportDiagnostics, terminalFor } from "../compile/report-diagnostics.js";
import { listed, rowsOf } from "../compile/summary.js";
import { findNamed } from "../named/find-named.js";
import { hostOfTerminal, loadNamed } from "../named/load-named.js";
import { orSay } from "../named/load-or-say.js";
import type { NamedBuilds } from "../named/named-builds.js";
import type { WordArguments } from "../named/word-options.js";
import { count } from "../terminal/count.js";
import { exitCodes } from "../terminal/exit-codes.js";
import type { Terminal } from "../terminal/terminal.js";
import type { CacheArguments, ReportArguments } from "../terminal/usage/options.js";
import { UsageError } from "../terminal/usage/usage-error.js";

/** In bytes: larger than any real definition. */
const largestDefinition = 4_000_000;

export interface CheckArguments extends ReportArguments, CacheArguments, WordArguments {
  /** The word that names the subgraph. */
  readonly subgraph: string;
  readonly ipfs?: string | undefined;
  readonly fix: boolean;
  readonly dryRun: boolean;
  readonly watch: boolean;
}

/**
 * Checks the subgraph that a word names: compiles it if it is not built, and judges the build otherwise. The file of a
 * pipeline is checked as one. Returns the exit code.
 */
export async function checkWord(args: CheckArguments, terminal: Terminal): Promise<number> {
  if (args.fix && args.watch) throw new UsageError("--fix and --watch cannot be combined.");
  if (args.dryRun && !args.fix)
    throw new UsageError("--dry-run requires --fix: it shows what --fix would change.");
  const named = await findNamed(args.subgraph, hostOfTerminal(terminal));
  if (named.kind === "configuration" && (await isDefinitionFile(named.path, terminal)))
    return checkDefinition(named.path, args, terminal);
  if (named.kind === "configuration" && args.network === undefined)
    return checkConfig(named.path, args, terminal);
  if (args.fix) throw new UsageError("--fix changes a configuration, and this subgraph is none.");
  if (args.watch) {
    const { watchNamed } = await import("../named/watch-named.js");
    const onLoaded = async (found: NamedBuilds): Promise<void> => praiseBuilds(args, found, terminal);
    const watched = { named, options: optionsOf(args), reporting: args };
    return watchNamed(watched, terminal, onLoaded);
  }
  const loaded = await orSay(terminal, () => loadNamed(named, optionsOf(args), terminal));
  if (typeof loaded === "number") return loaded;
  reportDiagnostics(loaded.diagnostics, args, terminal);
  if (!loaded.found) return exitCodes.diagnostics;
  praiseBuilds(args, loaded.found, terminal);
  return exitCodes.clean;
}

/** Whether a file defines a pipeline or a stream. Standard input is not read twice. */
export async function isDefinitionFile(path: string, terminal: Terminal): Promise<boolean> {
  if (path === "-") return false;
  const read = await hostOfTerminal(terminal).readFile(path, largestDefinition);
  if (read.kind !== "bytes") return false;
  const { isDefinitionText } = await import("../../lsp/pipelines/is-definition.js");
  return isDefinitionText(path, new TextDecoder().decode(read.bytes));
}

/** Checks the definition of a pipeline or a stream as `pipeline validate` does; returns the exit code. */
async function checkDefinition(path: string, args: CheckArguments, terminal: Terminal): Promise<number> {
  if (args.fix || args.watch || args.network !== undefined)
    throw new UsageError(
      `${quotePath(visible(path))} defines a pipeline. --fix, --watch and --network are for subgraphs.`,
      `graphloom pipeline validate ${path}`,
    );
  const { validatePipeline } = await import("../pipeline/validate-pipeline.js");
  return validatePipeline({ ...args, configPath: path }, terminal);
}

/** Compiles and type-checks a configuration and reports its diagnostics; returns the exit code. */
async function checkConfig(config: string, args: CheckArguments, terminal: Terminal): Promise<number> {
  if (args.fix) {
    const { fixConfig } = await import("../compile/fix-config.js");
    return fixConfig({ ...args, config }, terminal);
  }
  const praised = ({ summary }: { readonly summary: string }): void =>
    praise(config === "-" ? "<stdin>" : config, summary, args, terminal);
  if (args.watch) {
    const { watchConfig } = await import("../compile/watch-config.js");
    const watched = { config, withWasm: false, options: {}, reporting: args, caching: args };
    return watchConfig(watched, terminal, async (project) => praised(project));
  }
  const project = await compileProject(config, false, {}, args, terminal);
  if (!project) return exitCodes.diagnostics;
  praised(project);
  return exitCodes.clean;
}

function optionsOf(args: CheckArguments) {
  const { network, networkFile, ipfs: gateway, cache, verbose } = args;
  return { network, networkFile, gateway, cache, verbose, remote: args, optimize: "fast" } as const;
}

function praiseBuilds(args: CheckArguments, found: NamedBuilds, terminal: Terminal): void {
  for (const { chain, build } of found.builds) {
    for (const warning of buildWarnings(build))
      terminal.err(`${visible(chain)}: warning: ${visible(warning)}\n`);
  }
  praise(args.subgraph, summaryOf(found), args, terminal);
}

function praise(name: string, summary: string, args: CheckArguments, terminal: Terminal): void {
  terminalFor(args, terminal).out(`${visible(name)} is fine:\n${summary}`);
}

/** Summarizes builds in a few aligned lines. */
function summaryOf({ builds }: NamedBuilds): string {
  const rows: [string, string][] = builds.map(({ chain, build }) => {
    const { dataSources, templates } = build.subgraph;
    const parts = [count(dataSources.length, "data source")];
    if (templates.length > 0) parts.push(count(templates.length, "template"));
    return [chain, parts.join(", ")];
  });
  const [first] = builds;
  if (first) rows.push(["entities", listed([...first.build.schema.entities.types.keys()])]);
  const modules = builds.flatMap(({ build }) => [...build.subgraph.modules.values()]);
  const bytes = modules.reduce((sum, { length }) => sum + length, 0);
  rows.push(["WASM", `${Math.ceil(bytes / 1024)} KB in ${count(modules.length, "mapping")}`]);
  return rowsOf(rows);
}
