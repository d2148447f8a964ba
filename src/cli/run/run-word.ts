import { resolve } from "node:path";
import { suggest } from "../../base/text/suggest.js";
import { visible } from "../../base/text/visible.js";
import type { ArchiveFiles } from "../../datasets/archive/archive-files.js";
import { openArchiveFiles } from "../../machine/files/archive-files.js";
import { createNodeWorld } from "../../machine/world.js";
import { ChainError, ReorgError } from "../../runtime/chain/chain.js";
import { type EnsNames, ensNamesOf } from "../../runtime/ens/ens-names.js";
import type { SourcePlace } from "../../runtime/sources/create-source.js";
import type { KeptStores } from "../../store/kept-stores.js";
import { DatabaseError, isAddress, openKeptStores } from "../../store/open.js";
import { openCache } from "../cache/open-cache.js";
import { reportCompiled, reportDiagnostics, terminalFor } from "../compile/report-diagnostics.js";
import { configOf, loadOrSay } from "../named/load-or-say.js";
import type { NamedBuilds } from "../named/named-builds.js";
import { findSources } from "../reader/find-sources.js";
import { count } from "../terminal/count.js";
import { namesInFile } from "../terminal/ens-names.js";
import { exitCodes } from "../terminal/exit-codes.js";
import { archiveToRead } from "../terminal/given-archive.js";
import type { Terminal } from "../terminal/terminal.js";
import { givenGateways } from "../terminal/usage/options.js";
import { UsageError } from "../terminal/usage/usage-error.js";
import type { ChainResult } from "./chain-result.js";
import { chainsToRun } from "./chains-to-run.js";
import { failureDiagnostic } from "./failure.js";
import { findNodes, wordsFor } from "./find-nodes.js";
import { type ChainToRun, indexChain } from "./index-chain.js";
import { comparisonText } from "./plan/compare-plan.js";
import { openSamples, planChains } from "./plan/plan-chains.js";
import { noPlanText, planText } from "./plan/show-plan.js";
import { usualSamples } from "./plan/usual-samples.js";
import { ProgressDisplay } from "./progress-display.js";
import { checkRunArguments, type RunArguments } from "./run-arguments.js";
import { type MadePlan, runPlanned } from "./run-planned.js";
import { shownTypes } from "./shown-type.js";
import { type ShownChain, tables, writeJson, writeLines } from "./write-entities.js";

/** Limit of the named files; the rest is only counted. */
const mostNamed = 10;

/** Rows per type in the tables for people. */
const fewRows = 5;

/** Runs the subgraph that a word names, and shows the results; returns the exit code. */
export async function runWord(args: RunArguments, terminal: Terminal): Promise<number> {
  checkRunArguments(args);
  const loaded = await loadOrSay(args.subgraph, { ...args, gateway: args.ipfs, remote: args }, terminal);
  if (typeof loaded === "number") return loaded;
  const { named, diagnostics, found } = loaded;
  // A JSON document also contains the diagnostics of the run, so it is printed later.
  const isLater = args.format === "json" && found !== undefined;
  if (!isLater) reportCompiled(diagnostics, found !== undefined, args, terminal, configOf(named));
  if (!found) return exitCodes.diagnostics;
  checkEntities(args.entity ?? [], found);
  const archive = archiveToRead(args, terminal);
  const names = found.builds.map(({ chain }) => chain);
  const urls = args.offline
    ? new Map(names.map((chain) => [chain, undefined]))
    : findNodes(args.rpc ?? [], names, terminal.env ?? {}, wordsFor(named));
  const sources = findSources(args.source ?? [], [...urls.keys()], terminal.env ?? {});
  const results = await runChains(found, urls, sources, archive, args, terminal);
  if (!results) return exitCodes.remote;
  const failures = results.flatMap(({ chain, outcome }) =>
    outcome.kind === "run" && outcome.failure
      ? [failureDiagnostic(chain.chain, outcome.failure, found.origins)]
      : [],
  );
  if (isLater || failures.length > 0)
    reportDiagnostics(isLater ? [...diagnostics, ...failures] : failures, args, terminal);
  const code = Math.max(
    failures.length > 0 ? exitCodes.diagnostics : exitCodes.clean,
    complain(results, args, terminal),
  );
  return code === exitCodes.clean && terminal.signal.aborted ? exitCodes.interrupted : code;
}

/**
 * Runs the chains of a build and shows their entities. Returns `undefined` after reporting that the database is
 * unusable, or that a node needed for the block of a graft cannot be reached.
 */
async function runChains(
  found: NamedBuilds,
  urls: ReadonlyMap<string, string | undefined>,
  sources: ReadonlyMap<string, SourcePlace>,
  archive: string | undefined,
  args: RunArguments,
  terminal: Terminal,
): Promise<readonly ChainResult[] | undefined> {
  let kept: KeptStores | undefined;
  try {
    kept = await openStores(args, terminal);
    const chains = (await chainsToRun(found, urls, kept, args, terminal)).map((chain) => ({
      ...chain,
      source: sources.get(chain.chain),
    }));
    const files = archive === undefined ? undefined : openArchiveFiles(archive);
    const plans = args.plan ? await planFirst(chains, files, args, terminal) : new Map();
    terminal.onWriting(true);
    const results = await indexAll(chains, files, plans, args, terminal);
    terminal.onWriting(false);
    await showEntities(results, args, terminal);
    for (const { chain, compared } of results)
      if (compared) terminal.err(comparisonText(chain.chain, compared));
    return results;
  } catch (error) {
    if (!(error instanceof DatabaseError || error instanceof ChainError || error instanceof ReorgError))
      throw error;
    terminal.err(`${visible(error.message)}\n`);
    if ("hint" in error && error.hint !== undefined) terminal.err(`${visible(error.hint)}\n`);
    return undefined;
  } finally {
    await kept?.close();
  }
}

/** Opens the requested database. The database code is only loaded if one is requested. */
async function openStores(args: RunArguments, terminal: Terminal): Promise<KeptStores | undefined> {
  const { database } = args;
  if (database === undefined) return undefined;
  const place = isAddress(database) ? database : resolve(terminal.cwd, database);
  return openKeptStores(place, createNodeWorld(), {
    proofs: args.proofs,
    images: openCache(args, terminal),
  });
}

/** Plans the chains and shows the plans. Returns them by chain. @throws ChainError, ReorgError, DatabaseError */
async function planFirst(
  chains: readonly ChainToRun[],
  archive: ArchiveFiles | undefined,
  args: RunArguments,
  terminal: Terminal,
): Promise<ReadonlyMap<string, MadePlan>> {
  const stores = await openSamples(args, terminal);
  try {
    const plans = await planChains(chains, { ...args, ...usualSamples }, stores, archive, terminal);
    if (!terminal.signal.aborted) terminal.err(noPlanText(plans) + planText(plans));
    return new Map(plans.flatMap(({ chain, plan }) => (plan.kind === "plan" ? [[chain, plan]] : [])));
  } finally {
    await stores.close();
  }
}

/** Runs all chains at the same time. If one cannot continue, it ends the others. */
async function indexAll(
  chains: readonly ChainToRun[],
  archive: ArchiveFiles | undefined,
  plans: ReadonlyMap<string, MadePlan>,
  args: RunArguments,
  terminal: Terminal,
): Promise<readonly ChainResult[]> {
  const { fromBlock: from, toBlock: to, blocks, watch, patience, verify } = args;
  const end = new AbortController();
  const signal = AbortSignal.any([terminal.signal, end.signal]);
  const display = new ProgressDisplay(terminal, () => performance.now());
  const namesChains = chains.length > 1;
  const names = args.ensNames === undefined ? undefined : await readNames(args.ensNames, terminal.cwd);
  const environment = {
    patience: patience * 1000,
    gateways: givenGateways(args),
    names,
    verify,
    display,
    namesChains,
    signal,
  };
  const indexOne = async (chain: ChainToRun): Promise<ChainResult> => {
    try {
      const range = { from, to, blocks, watch };
      const plan = plans.get(chain.chain);
      const result = plan
        ? await runPlanned(plan, chain, range, { ...environment, archive })
        : { chain, outcome: await indexChain(chain, range, { ...environment, archive }) };
      const { outcome } = result;
      if (outcome.kind === "too-short" || outcome.failure || outcome.unreachable) end.abort();
      return result;
    } catch (error) {
      end.abort();
      throw error;
    }
  };
  try {
    return await Promise.all(chains.map(indexOne));
  } finally {
    display.end();
  }
}

/** @throws UsageError for a file that is not a table of names */
async function readNames(file: string, cwd: string): Promise<EnsNames> {
  const names = new Map<string, string>();
  for await (const { hash, name } of namesInFile(file, cwd)) names.set(hash, name);
  return ensNamesOf(names);
}

/** Reports why chains could not run, and which files they still wait for; returns the exit code. */
function complain(results: readonly ChainResult[], { fromBlock }: RunArguments, terminal: Terminal): number {
  let code: number = exitCodes.clean;
  for (const { chain, outcome } of results) {
    if (outcome.kind === "too-short") {
      terminal.err(
        `${visible(chain.chain)} ends at block ${outcome.head}, before the first block to index, ${outcome.first}.` +
          (fromBlock === undefined ? " For a local chain, pass --from-block 0\n" : "\n"),
      );
      code = Math.max(code, exitCodes.diagnostics);
      continue;
    }
    terminal.err(missingFilesText(chain.chain, outcome.missingFiles ?? []));
    if (outcome.unreachable) {
      terminal.err(`${visible(chain.chain)}: ${visible(outcome.unreachable.message)}\n`);
      code = Math.max(code, exitCodes.remote);
    }
  }
  return code;
}

/** @throws UsageError for an entity type that is not in the schema */
function checkEntities(names: readonly string[], { builds }: NamedBuilds): void {
  if (names.length === 0) return;
  // All chains of a subgraph share one schema.
  const known = [...(builds[0]?.build.schema.entities.types.keys() ?? [])];
  const unknown = names.find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const [near] = suggest(unknown, known);
  const advice = near === undefined ? `Entity types: ${known.join(", ")}` : `Did you mean ${near}?`;
  throw new UsageError(`--entity: unknown entity type "${visible(unknown)}". ${advice}`);
}

/** Shows the entities of all chains that ran, including those whose run ended early. */
async function showEntities(
  results: readonly ChainResult[],
  args: RunArguments,
  terminal: Terminal,
): Promise<void> {
  const shown: ShownChain[] = [];
  const last = args.last ?? (args.output === "table" ? fewRows : undefined);
  for (const { chain, outcome, compared } of results) {
    if (outcome.kind !== "run") continue;
    const { first, progress, leftOut, unreachable } = outcome;
    // The error that follows says all that is known; zeros would look like an answer.
    if (unreachable && progress.block < first) continue;
    const types = await shownTypes(chain.built.entities, chain.store, args.entity ?? [], last);
    const blocks = progress.block >= first && { blocks: { first, last: progress.block } };
    shown.push({ chain: chain.chain, ...blocks, progress, leftOut, types, compared });
  }
  const isNoneRead = results.some(({ outcome }) => outcome.kind === "run" && outcome.unreachable);
  if (shown.length === 0 && isNoneRead) return;
  const told = terminalFor(args, terminal);
  if (args.output === "json") writeJson(shown, told.out);
  else if (args.output === "ndjson") writeLines(shown, told.out);
  else told.out(shown.map((chain) => tables(chain, terminal.columns ?? 80)).join("\n"));
}

/** Lists the files that were not found, one per line; empty if none is missing. */
export function missingFilesText(chain: string, paths: readonly string[]): string {
  if (paths.length === 0) return "";
  const named = paths.slice(0, mostNamed).map((path) => `  ${visible(path)}\n`);
  const rest = paths.length > mostNamed ? `  and ${paths.length - mostNamed} more\n` : "";
  return `${visible(chain)}: ${count(paths.length, "file")} not found yet; the next run looks for them again:\n${named.join("")}${rest}`;
}
