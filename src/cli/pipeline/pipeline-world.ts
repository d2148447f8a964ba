import { resolve } from "node:path";
import { quotePath } from "../../base/text/quote.js";
import { visible } from "../../base/text/visible.js";
import { WaitingTeller } from "../../datasets/extract/waiting-text.js";
import { isWithin } from "../../machine/files/is-within.js";
import { openTableFiles } from "../../machine/files/table-files.js";
import { createNodeWorld, pause } from "../../machine/world.js";
import type { AuditWorld } from "../../pipelines/audit/audit-sink.js";
import { pipelineDataset } from "../../pipelines/definition/pipeline-dataset.js";
import { openPorts, type Ports } from "../../pipelines/host/open-ports.js";
import {
  auditedSources,
  type ChainReading,
  refuse,
  runningSources,
} from "../../pipelines/host/open-sources.js";
import { openDuckDbFile } from "../../pipelines/machine/duckdb/open-duckdb-file.js";
import { openFileState, readFileState } from "../../pipelines/machine/state/open-file-state.js";
import type { PipelinePlan, PlannedSource } from "../../pipelines/plan/pipeline-plan.js";
import type { PipelineWorld } from "../../pipelines/runner/run-sinks.js";
import { leastNumber } from "../../pipelines/state/state-store.js";
import type { BlockPointer, Chain } from "../../runtime/chain/chain.js";
import type { VerifyMode } from "../../runtime/indexer/logs/verification.js";
import type { Database } from "../../store/database/database.js";
import { findSources } from "../reader/find-sources.js";
import { openPatientReader } from "../reader/open-patient-reader.js";
import { findNodes, ofReading } from "../run/find-nodes.js";
import { archiveToRead } from "../terminal/given-archive.js";
import type { Terminal } from "../terminal/terminal.js";
import { UsageError } from "../terminal/usage/usage-error.js";
import { definitionReach } from "./definition-reach.js";
import type { PipelineDisplay } from "./pipeline-display.js";
import { sqlMemory } from "./plan-file.js";
import { stateFolder } from "./sources/state-folder.js";

/** Milliseconds between two looks at the chain head. */
const lookInterval = 500;
/** How often the head may be the same before a caller looks at the rest of the chain, such as at what is final. */
const mostLooks = 8;

/** Arguments of commands that read the sources of a flow. */
export interface PipelineArguments {
  readonly rpc?: readonly string[] | undefined;
  readonly source?: readonly string[] | undefined;
  readonly archive?: string | undefined;
  readonly offline: boolean;
  readonly patience: number;
  readonly verify: VerifyMode;
  readonly state?: string | undefined;
}

/** What a command has opened. */
export interface PipelineCommand {
  /** The database of the subgraphs, if entities are read. */
  readonly database: Database | undefined;
  /** Its reads that have not ended. */
  readonly running: Set<Promise<void>>;
  readonly terminal: Terminal;
  readonly display: PipelineDisplay;
  /** Called with the number of the last block of a source's chain. */
  readonly onHead?: (source: string, head: number) => void;
}

/** What a flow that runs on this machine needs from outside. @throws UsageError if a chain has no node */
export function pipelineWorld(
  plan: PipelinePlan,
  args: PipelineArguments,
  opened: PipelineCommand,
): PipelineWorld & Ports {
  const { database, running, terminal, display } = opened;
  // Rows stand above the progress, not after it.
  const ports = sinkPorts(args, terminal, (text) => display.above(() => terminal.out(text)));
  const reading = {
    ports,
    chains: chainReading(networksOf(plan), args, opened).chains,
    database,
    // The folder belongs to this process alone, so its data cannot grow meanwhile.
    entitiesEnd: plan.job || database?.provider === "pglite",
    running,
    say: sayOn(display),
  };
  return {
    ...ports,
    ...runningSources(plan, reading, (sink, source, head) => {
      display.see(sink.name, source.name, head, lastBlockOf(source));
      opened.onHead?.(source.name, head);
    }),
    onSlower: (sink, why) => display.print(`${visible(sink)}: ${visible(why)}\n`),
  };
}

/** What an audit of the pipeline needs. @throws UsageError if a chain has no node */
export function auditWorld(
  plan: PipelinePlan,
  args: PipelineArguments,
  opened: Pick<PipelineCommand, "terminal" | "display" | "database">,
): AuditWorld & Ports {
  const { chains } = chainReading(networksOf(plan), args, opened);
  const ports = sinkPorts(args, opened.terminal);
  const say = sayOn(opened.display);
  return { ...ports, ...auditedSources(plan, { chains, database: opened.database, ports, say }) };
}

/** What is needed for changes that sinks keep aside: of the sources, only topics can be read. */
export function parkedWorld(
  plan: PipelinePlan,
  args: Pick<PipelineArguments, "state">,
  { terminal, display }: Pick<PipelineCommand, "terminal" | "display">,
): AuditWorld & Ports {
  const ports = sinkPorts(args, terminal);
  const say = sayOn(display);
  const open = (): never => {
    throw new Error("no chain is read for changes that are kept aside");
  };
  const chains = { open, stalls: false, waiting: new WaitingTeller(say), signal: terminal.signal };
  return { ...ports, ...auditedSources(plan, { chains, database: undefined, ports, say }) };
}

/** All but the sources. */
export function sinkPorts(
  args: Pick<PipelineArguments, "state">,
  terminal: Terminal,
  out: (text: string) => void = (text) => terminal.out(text),
): Ports {
  const { signal } = terminal;
  const { secret, allowsPrivate } = definitionReach(terminal);
  const world = createNodeWorld();
  const folder = (): string => stateFolder(args.state, terminal);
  const ports = openPorts({
    memory: sqlMemory,
    reach: { allowsPrivate },
    world,
    clock: createNodeWorld(signal),
    secret,
    out,
    ...(terminal.outColor && { outWidth: terminal.columns ?? 80 }),
    openFiles: (path) => openTableFiles(ownPath(path, terminal)),
    openDuckDbFile: (path) => openDuckDbFile(ownPath(path, terminal)),
    openState: (owner) => openFileState(folder(), owner, leastNumber(world.now())),
    readState: (owner) => readFileState(folder(), owner),
  });
  return { ...ports, namesFiles: true };
}

/** The path of a folder or file of a sink. @throws UsageError if it is outside of where the command may go */
function ownPath(path: string, { cwd, within }: Terminal): string {
  const whole = resolve(cwd, path);
  if (within === undefined || isWithin(within, whole)) return whole;
  throw new UsageError(`${quotePath(path)} is outside the folder of this command.`);
}

/** The nodes of some networks by name, and how chains are read from them. */
export interface NodesReading {
  readonly nodes: ReadonlyMap<string, string>;
  readonly chains: ChainReading;
}

/** How the chains of some networks are read. @throws UsageError if one has no node */
export function chainReading(
  networks: readonly string[],
  args: PipelineArguments,
  { terminal, display }: Pick<PipelineCommand, "terminal" | "display">,
): NodesReading {
  const archive = archiveToRead(args, terminal);
  const nodes =
    args.offline || networks.length === 0
      ? new Map<string, string>()
      : findNodes(args.rpc ?? [], networks, terminal.env ?? {}, ofReading);
  const missing = args.offline ? undefined : networks.find((network) => !nodes.has(network));
  if (missing !== undefined) throw new UsageError(`No node of ${missing}. Pass --rpc ${missing}=<url>.`);
  const histories = findSources(args.source ?? [], [...nodes.keys()], terminal.env ?? {});
  const say = sayOn(display);
  const { signal } = terminal;
  const options = {
    patience: args.patience * 1000,
    verify: args.verify,
    say,
    signal,
    onRetry: (why: string, wait: number) => display.wait(`retrying in ${(wait / 1000).toFixed(1)} s: ${why}`),
    onRefused: refuse,
  };
  const open: ChainReading["open"] = async (network, { chainId, last }) => {
    const place = { network, url: nodes.get(network), archive };
    const { chainIdentity, ...opened } = await openPatientReader(place, last, {
      ...options,
      history: histories.get(network),
    });
    if (chainId !== undefined && chainIdentity.chainId !== chainId)
      throw new UsageError(
        `The node of ${network} is of chain ${visible(chainIdentity.chainId)}, but ${network} is chain ${chainId}. Pass a node of ${network}.`,
      );
    return { ...opened, newBlocks: (head) => waitForHead(opened.source.chain, head, signal) };
  };
  return { nodes, chains: { open, stalls: false, waiting: new WaitingTeller(say), signal } };
}

function sayOn(display: PipelineDisplay): (text: string) => void {
  return (text) => display.print(`${visible(text)}\n`);
}

function lastBlockOf({ definition: { type, settings } }: PlannedSource): number | undefined {
  return type === "dataset" ? settings.end_block?.value : undefined;
}

function networksOf({ sources }: PipelinePlan): readonly string[] {
  const names = sources.flatMap(({ definition }) =>
    definition.type === "dataset"
      ? [
          pipelineDataset(definition.settings.dataset_name?.value ?? "", definition.settings.version?.value)
            .network,
        ]
      : [],
  );
  return [...new Set(names)];
}

/**
 * Waits until a chain has another head. A look costs one request, and reading the chain several, so a head is seen sooner for
 * the same number of requests.
 * @param head the last one that the caller knows
 * @returns after eight looks even if the head is the same, or at once if the signal is aborted
 * @throws as `chain.head`
 */
export async function waitForHead(
  chain: Pick<Chain, "head">,
  head: BlockPointer | undefined,
  signal: AbortSignal,
): Promise<void> {
  for (let looks = 0; looks < mostLooks; looks += 1) {
    await pause(lookInterval, signal);
    if (signal.aborted) return;
    if ((await chain.head()).hash !== head?.hash) return;
  }
}
