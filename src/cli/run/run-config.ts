import { visible } from "../../base/visible.js";
import type { CompiledConfig } from "../../compiler/cache/packed-compilation.js";
import { suggest } from "../../compiler/diagnostics/suggest.js";
import { emittedManifests } from "../../compiler/emit/manifest-names.js";
import type { ModelOutline } from "../../compiler/model/model-outline.js";
import { ChainError, ReorgError } from "../../runtime/chain/chain.js";
import { createMemoryStore } from "../../runtime/store/create-memory-store.js";
import { readRunnable } from "../../subgraph/runnable/read-runnable.js";
import { compileConfig } from "../compile/compile-project.js";
import { reportDiagnostics } from "../terminal/report-outcome.js";
import { exitCodes, type World } from "../terminal/world.js";
import { failureDiagnostic } from "./failure.js";
import { findNodes } from "./find-nodes.js";
import { type ChainOutcome, type ChainToRun, indexChain } from "./index-chain.js";
import { ProgressDisplay } from "./progress-display.js";
import { all, type RunArguments, wrongArguments } from "./run-arguments.js";
import { showEntities } from "./show-entities.js";

/** Builds a configuration, runs it, and shows what came of it; the exit code. */
export async function runConfig(args: RunArguments, world: World): Promise<number> {
  const wrong = wrongArguments(args);
  if (wrong !== undefined) return usage(wrong, world);
  const compiled = await compileConfig(args.config, true, { optimize: args.optimize }, args, world);
  const { diagnostics, model } = compiled;
  // The JSON document holds what the run finds, too.
  const isLater = args.format === "json" && model !== undefined;
  if (!isLater) reportDiagnostics(diagnostics, args, world, args.config === "" ? undefined : args.config);
  if (!model) return exitCodes.diagnostics;
  const unknown = unknownEntity(all(args.entity), model);
  if (unknown !== undefined) return usage(unknown, world);
  const nodes = findNodes(
    all(args.rpc),
    model.chains.map(({ chain }) => chain),
    world.env ?? {},
  );
  if (nodes.kind === "wrong") return usage(nodes.message, world);
  const chains = chainsToRun(compiled, model, nodes.urls);
  world.onWriting(true);
  const results = await indexAll(chains, args, world);
  world.onWriting(false);
  const failures = results.flatMap(({ chain, outcome }) =>
    outcome?.kind === "run" && outcome.failure
      ? [failureDiagnostic(chain.chain, outcome.failure, compiled)]
      : [],
  );
  await showEntities(results, args, world);
  if (isLater || failures.length > 0)
    reportDiagnostics(isLater ? [...diagnostics, ...failures] : failures, args, world);
  const code = Math.max(
    failures.length > 0 ? exitCodes.diagnostics : exitCodes.clean,
    complain(results, args, world),
  );
  return code === exitCodes.clean && world.signal.aborted ? exitCodes.interrupted : code;
}

/** A chain and what came of it, or why nothing did. */
export interface ChainResult {
  readonly chain: ChainToRun;
  readonly outcome?: ChainOutcome;
  readonly unreachable?: ChainError | ReorgError;
}

/** Runs all chains at the same time. One that cannot go on ends the others. */
async function indexAll(
  chains: readonly ChainToRun[],
  args: RunArguments,
  world: World,
): Promise<readonly ChainResult[]> {
  const { fromBlock: from, toBlock: to, blocks, watch, patience } = args;
  const end = new AbortController();
  const signal = AbortSignal.any([world.signal, end.signal]);
  const display = new ProgressDisplay(world, () => performance.now());
  const environment = { patience: patience * 1000, display, namesChains: chains.length > 1, signal };
  const indexOne = async (chain: ChainToRun): Promise<ChainResult> => {
    try {
      const outcome = await indexChain(chain, { from, to, blocks, watch }, environment);
      if (outcome.kind === "too-short" || outcome.failure) end.abort();
      return { chain, outcome };
    } catch (error) {
      end.abort();
      if (error instanceof ChainError || error instanceof ReorgError) return { chain, unreachable: error };
      throw error;
    }
  };
  try {
    return await Promise.all(chains.map(indexOne));
  } finally {
    display.end();
  }
}

function chainsToRun(
  { files }: Pick<CompiledConfig, "files">,
  model: ModelOutline,
  urls: ReadonlyMap<string, string>,
): readonly ChainToRun[] {
  return emittedManifests(model).flatMap(({ chain, buildFolder }) => {
    const url = urls.get(chain);
    if (url === undefined) return [];
    const built = readRunnable({ manifest: `${buildFolder}/subgraph.yaml`, files });
    return [{ chain, url, built, store: createMemoryStore(built) }];
  });
}

/** Says why chains could not be run; the exit code. */
function complain(results: readonly ChainResult[], { fromBlock }: RunArguments, world: World): number {
  let code: number = exitCodes.clean;
  for (const { chain, outcome, unreachable } of results) {
    if (outcome?.kind === "too-short") {
      world.err(
        `${visible(chain.chain)} ends at block ${outcome.head}, and the first block to index is ${outcome.first}.` +
          (fromBlock === undefined ? " For a local chain, say where to begin: --from-block 0\n" : "\n"),
      );
      code = Math.max(code, exitCodes.diagnostics);
    } else if (unreachable) {
      world.err(`${visible(chain.chain)}: ${visible(unreachable.message)}\n`);
      code = Math.max(code, exitCodes.remote);
    }
  }
  return code;
}

function unknownEntity(names: readonly string[], { entities }: ModelOutline): string | undefined {
  const known = entities.map(({ name }) => name);
  const unknown = names.find((name) => !known.includes(name));
  if (unknown === undefined) return undefined;
  const [near] = suggest(unknown, known);
  const advice = near === undefined ? `There are: ${known.join(", ")}` : `Did you mean ${near}?`;
  return `--entity: there is no entity type "${visible(unknown)}". ${advice}`;
}

function usage(message: string, world: World): number {
  world.err(`${message}\n`);
  return exitCodes.usage;
}
