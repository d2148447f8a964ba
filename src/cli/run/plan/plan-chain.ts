import { ArchiveMeasure, type KindBytes } from "../../../datasets/archive/measure-archive.js";
import { segmentBlocks } from "../../../datasets/archive/segments/merge-segments.js";
import { openChain } from "../../../machine/open-chain.js";
import {
  addWork,
  cutsOf,
  errorOfLogs,
  type Part,
  samplePlaces,
  workOf,
} from "../../../runtime/indexer/density.js";
import {
  type Estimate,
  estimateLoad,
  type LoadEstimate,
  type SampleLoad,
} from "../../../runtime/indexer/estimate-requests.js";
import type { VerifyMode } from "../../../runtime/indexer/logs/verification.js";
import type { SampleStores } from "../../../store/sample-stores.js";
import type { BuiltSubgraph } from "../../../subgraph/runnable/built-subgraph.js";
import { type GatewayArguments, givenGateways } from "../../terminal/usage/options.js";
import { countIn, openCounting } from "../count-logs.js";
import type { ChainToRun, RunEnvironment } from "../index-chain.js";
import { type Sampled, sampleChain } from "./sample-chain.js";

/** What to plan for, and with which samples. */
export interface PlanRange extends GatewayArguments {
  readonly fromBlock?: number | undefined;
  readonly toBlock?: number | undefined;
  readonly blocks?: number | undefined;
  readonly samples: number;
  readonly sampleBlocks: number;
  /** The number of ranges in which logs are counted. */
  readonly logRanges: number;
  /** Seconds. */
  readonly patience: number;
  readonly verify: VerifyMode;
}

/** The dependencies of planning. */
export interface PlanEnvironment extends Pick<RunEnvironment, "archive" | "display" | "signal"> {
  readonly stores: SampleStores;
}

/** Where an end of the range comes from. */
export type RangeSource = "configuration" | "option" | "chain head" | "database";

/** The estimated load of indexing a chain. */
export type ChainPlan =
  | {
      readonly kind: "plan";
      readonly from: number;
      readonly fromSource: RangeSource;
      readonly to: number;
      readonly toSource: RangeSource;
      /** Logs of the configuration's own contracts. */
      readonly logs: CountedLogs;
      readonly samples: readonly SampleLoad[];
      readonly load: LoadEstimate;
      /** What the estimate does not cover, as sentences. */
      readonly notes: readonly string[];
    }
  /** There is no basis for an estimate. */
  | { readonly kind: "none"; readonly why: string };

/** Counted logs, and the estimate for the whole range. */
export interface CountedLogs {
  readonly estimate: number;
  /** The number of found logs. */
  readonly found: number;
  /** The numbers of ranges and blocks in which logs were counted. */
  readonly ranges: number;
  readonly blocks: number;
}

/**
 * Estimates what indexing a chain will need: counts logs, indexes samples into a database in memory, and counts the
 * requests. An archive is read and stays unchanged.
 * @throws ChainError, ReorgError when the node stays unreachable or inconsistent for too long; DatabaseError
 */
export async function planChain(
  chain: ChainToRun,
  wanted: PlanRange,
  environment: PlanEnvironment,
): Promise<ChainPlan> {
  const { url, built } = chain;
  const { archive, display, signal } = environment;
  if (url === undefined) return { kind: "none", why: "no node is given" };
  const patience = wanted.patience * 1000;
  const { number: head } = await openChain(url, { patience, signal }).head();
  const indexed = (await chain.store.head())?.number;
  const first = indexed === undefined ? chain.first : indexed + 1;
  const last = lastBlock(chain, wanted, head);
  if (head < first) return { kind: "none", why: tooShort(head, first, wanted) };
  if (last.to < first) return { kind: "none", why: `everything up to block ${last.to} is indexed already` };
  const range = { from: first, to: last.to };
  const demandsAll = demandsEveryBlock(built, wanted);
  const counting = await openCounting(chain, range, head, wanted, environment);
  const parts = await countIn(counting, wanted.logRanges);
  if (signal.aborted) return interrupted;

  const measures = new Map<string, ArchiveMeasure>();
  const measure = (chainId: string): ArchiveMeasure => {
    const known = measures.get(chainId) ?? new ArchiveMeasure(chainId);
    measures.set(chainId, known);
    return known;
  };
  const sampled: Sampled[] = [];
  const notes = notesOf(built);
  for (const place of samplePlaces(parts, cutsOf(counting), wanted.samples, wanted.sampleBlocks)) {
    const part = await counting.count({ part: place, counted: place });
    const sample = await sampleChain({ ...chain, first }, part, wanted.fromBlock, {
      ...environment,
      patience,
      gateways: givenGateways(wanted),
      verify: wanted.verify,
      measure,
    });
    if (signal.aborted) return interrupted;
    const { failedIn } = sample;
    if (failedIn !== undefined)
      notes.push(`a handler failed in block ${failedIn} of a sample; the sample ends before that block`);
    if ("part" in sample) sampled.push(sample);
  }
  display.end();
  if (sampled.length === 0)
    return { kind: "none", why: `the samples have not a single whole block: ${notes.at(-1)}` };

  const terms = { head, reach: counting.reach, demandsAll };
  const archived = await [...measures.values()][0]?.measure();
  const isWhole = sampled[0]?.blocks === range.to - range.from + 1;
  const samples = sampled.map(({ part, database, archived: written, ...sample }, index): SampleLoad => {
    const { kept, near, asked } = workOf([part], terms);
    const ownArchive = isWhole ? { blocks: 0, logs: 0, answers: written } : archived?.rows[index];
    return {
      ...sample,
      work: [kept, near, asked].reduce(addWork),
      database: isWhole ? database.size - (indexed === undefined ? 0 : database.empty) : database.rows,
      archive: ownArchive ?? { blocks: 0, logs: 0, answers: 0 },
    };
  });
  const work = workOf(parts, terms);
  const found = parts.reduce((sum, { logs }) => sum + logs.length, 0);
  const counted = parts.reduce((sum, part) => sum + part.counted.to - part.counted.from + 1, 0);
  if (found === 0 && counted < range.to - range.from + 1)
    notes.push("no logs were found where they were counted; pass more --log-ranges to look in more places");
  const load = estimateLoad(samples, { work, error: errorOfLogs(parts), demandsAll, isWhole });
  const grown = isWhole
    ? load
    : {
        ...load,
        database: more(load.database, indexed === undefined ? (sampled[0]?.database.empty ?? 0) : 0),
        archive: more(load.archive, archive ? fixedBytes(archived?.fixed, parts) : 0),
      };
  return {
    kind: "plan",
    from: range.from,
    fromSource:
      indexed !== undefined ? "database" : wanted.fromBlock === undefined ? "configuration" : "option",
    to: range.to,
    toSource: last.source,
    logs: {
      estimate: Math.round(work.kept.logs + work.near.logs + work.asked.logs),
      found,
      ranges: parts.length,
      blocks: counted,
    },
    samples,
    load: grown,
    notes,
  };
}

const interrupted: ChainPlan = { kind: "none", why: "the run was interrupted" };

function tooShort(head: number, first: number, { fromBlock }: PlanRange): string {
  const advice = fromBlock === undefined ? " For a local chain, pass --from-block 0" : "";
  return `the chain ends at block ${head}, before the first block to index, ${first}.${advice}`;
}

/** The last block that `run` would index. */
function lastBlock(
  { first, built }: ChainToRun,
  { toBlock, blocks }: PlanRange,
  head: number,
): { readonly to: number; readonly source: RangeSource } {
  const wanted = toBlock ?? (blocks === undefined ? head : first + blocks - 1);
  const ends = Math.max(...built.dataSources.map(({ endBlock }) => endBlock ?? Number.POSITIVE_INFINITY));
  const to = Math.min(wanted, head, ends);
  if (to === head) return { to, source: "chain head" };
  return { to, source: to === wanted ? "option" : "configuration" };
}

/** Whether any block may be requested, not only blocks with logs. */
function demandsEveryBlock({ dataSources, templates }: BuiltSubgraph, { verify }: PlanRange): boolean {
  const all = [...dataSources, ...templates];
  return (
    verify === "receipts" ||
    all.some(({ blockHandlers, callHandlers }) => blockHandlers.length + callHandlers.length > 0)
  );
}

/** The bytes of segments apart from their rows. An archive begins new segments at fixed blocks. */
function fixedBytes(fixed: KindBytes | undefined, parts: readonly Part[]): number {
  if (!fixed) return 0;
  const asked = parts.filter(({ side }) => side !== "kept");
  const [from, to] = [asked[0]?.from, asked.at(-1)?.to];
  if (from === undefined || to === undefined) return 0;
  const segments = Math.floor(to / segmentBlocks) - Math.floor(from / segmentBlocks) + 1;
  return segments * (fixed.blocks + fixed.logs + fixed.answers);
}

function more(figure: Estimate, bytes: number): Estimate {
  return {
    estimate: Math.round(figure.estimate + bytes),
    least: Math.round(figure.least + bytes),
    most: Math.round(figure.most + bytes),
    from: bytes > 0 ? [...new Set([...figure.from, "run" as const])] : figure.from,
  };
}

function notesOf({ templates }: BuiltSubgraph): string[] {
  if (templates.length === 0) return [];
  return [
    "the configuration has templates: contracts created outside the samples are not counted, so the real figures may be higher",
  ];
}
