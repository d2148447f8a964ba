import { addWork, type Side, type SplitWork, sides, type Work } from "./density.js";

/** Requests of one method, and the bytes of their answers as JSON. */
export interface MethodLoad {
  readonly calls: number;
  readonly bytes: number;
}

/** Bytes of an archive's files. */
export interface ArchivedBytes {
  readonly blocks: number;
  readonly logs: number;
  /** Contract reads, balances, receipts and traces. */
  readonly answers: number;
}

/** The measured load of indexing a sample of a chain. */
export interface SampleLoad {
  /** First block. */
  readonly from: number;
  /** Blocks that were indexed. */
  readonly blocks: number;
  readonly work: Work;
  readonly side: Side;
  readonly seconds: number;
  /** How many of these seconds passed before the first block was requested. */
  readonly startup: number;
  /** Requests that each run sends once: for the chain's id, its first block, its head. */
  readonly once: ReadonlyMap<string, MethodLoad>;
  /** All other requests. */
  readonly methods: ReadonlyMap<string, MethodLoad>;
  /** Handlers that ran. */
  readonly triggers: number;
  /** Versions of entities written. */
  readonly versions: number;
  /** Bytes of rows and their entries in indexes, in a database. */
  readonly database: number;
  /** Bytes that an archive gains. */
  readonly archive: ArchivedBytes;
}

/**
 * What a figure is proportional to. `run`: nothing, each run has it once. `whole`: nothing, since the samples are all
 * blocks. `taken`: blocks that must be run and ends of stretches.
 */
export type Basis = "run" | "whole" | "blocks" | "logs" | "demanded" | "stretches" | "taken";

/** A figure, the smallest and the largest value that any single sample gives, and its basis. */
export interface Estimate {
  readonly estimate: number;
  readonly least: number;
  readonly most: number;
  readonly from: readonly Basis[];
}

/** The estimated load of one method. */
export interface MethodEstimate {
  readonly method: string;
  readonly calls: Estimate;
  readonly bytes: Estimate;
}

/** The estimated load of indexing a range of blocks. */
export interface LoadEstimate {
  readonly methods: readonly MethodEstimate[];
  readonly calls: Estimate;
  /** Bytes of the answers as JSON, before compression. */
  readonly bytes: Estimate;
  readonly triggers: Estimate;
  readonly versions: Estimate;
  readonly seconds: Estimate;
  /** Bytes of the tables and indexes of a database. */
  readonly database: Estimate;
  /** Bytes that an archive gains. */
  readonly archive: Estimate;
}

/** The range that samples represent. */
export interface SampledRange {
  readonly work: SplitWork;
  /** The relative standard error of the number of logs; 0 when all were counted. */
  readonly error: number;
  /** Whether the subgraph demands every block, not only those with logs. */
  readonly demandsAll: boolean;
  /** Whether a single sample covers the whole range. */
  readonly isWhole: boolean;
}

/**
 * Estimates the load of indexing from samples. Requests for logs grow with the stretches that a run divides its
 * blocks into, and so do requests for blocks that only prove the end of a stretch. Other requests for blocks grow
 * with the blocks that must be run, and all other requests with the logs; if the subgraph demands every block, also
 * with the blocks. Blocks whose logs an archive has are estimated from samples of such blocks, and the rest from the
 * other samples.
 * @param samples at least one, each with at least one block
 */
export function estimateLoad(samples: readonly SampleLoad[], range: SampledRange): LoadEstimate {
  const estimator = new Estimator(samples, range);
  const names = new Set(samples.flatMap(({ once, methods }) => [...once.keys(), ...methods.keys()]));
  const methods = [...names].sort().map((method) => ({
    method,
    calls: rounded(estimator.callsOf(method)),
    bytes: rounded(estimator.bytesOf(method)),
  }));
  const taken = ({ demanded, stretches }: Work): number => demanded + stretches;
  return {
    methods,
    calls: sumOf(methods.map(({ calls }) => calls)),
    bytes: sumOf(methods.map(({ bytes }) => bytes)),
    triggers: rounded(estimator.ofHandlers(({ triggers }) => triggers)),
    versions: rounded(estimator.ofHandlers(({ versions }) => versions)),
    seconds: sumOf([
      estimator.once(({ startup }) => startup),
      estimator.growing("taken", taken, ({ seconds, startup }) => seconds - startup),
    ]),
    database: rounded(estimator.ofHandlers(({ database }) => database)),
    archive: rounded(
      sumOf([
        estimator.growing("taken", taken, ({ archive }) => archive.blocks),
        estimator.growing(
          "logs",
          ({ logs }) => logs,
          ({ archive }) => archive.logs,
        ),
        estimator.ofHandlers(({ archive }) => archive.answers),
      ]),
    ),
  };
}

type Value = (sample: SampleLoad) => number;
type Measure = (work: Work) => number;

class Estimator {
  readonly #samples: readonly SampleLoad[];
  readonly #range: SampledRange;

  constructor(samples: readonly SampleLoad[], range: SampledRange) {
    this.#samples = samples;
    this.#range = range;
  }

  callsOf(method: string): Estimate {
    return this.#ofMethod(method, ({ calls }) => calls, shareOfEnds);
  }

  /**
   * The bytes of answers. The size of a list of logs depends on the number of logs, not on the number of requests.
   */
  bytesOf(method: string): Estimate {
    return this.#ofMethod(method, ({ bytes }) => bytes, method === "eth_getLogs" ? () => 0 : shareOfEnds);
  }

  /** A figure that each run has once: the mean of the samples. */
  once(value: Value): Estimate {
    const each = this.#samples.map(value);
    const sum = each.reduce((total, one) => total + one, 0);
    if (sum === 0) return nothing;
    const from: readonly Basis[] = this.#range.isWhole ? ["whole"] : ["run"];
    return { estimate: sum / each.length, least: Math.min(...each), most: Math.max(...each), from };
  }

  #ofMethod(
    method: string,
    figure: (load: MethodLoad) => number,
    shareOf: (sample: SampleLoad, method: string) => number,
  ): Estimate {
    const none: MethodLoad = { calls: 0, bytes: 0 };
    const of: Value = ({ methods }) => figure(methods.get(method) ?? none);
    const ends: Value = (sample) => of(sample) * shareOf(sample, method);
    const rest: Value = (sample) => of(sample) - ends(sample);
    const once = Math.max(...this.#samples.map((sample) => figure(sample.once.get(method) ?? none)));
    return sumOf([
      { estimate: once, least: once, most: once, from: once > 0 ? ["run"] : [] },
      this.growing("stretches", ({ stretches }) => stretches, ends),
      method === "eth_getBlockByNumber"
        ? this.growing("demanded", ({ demanded }) => demanded, rest)
        : this.ofHandlers(rest),
    ]);
  }

  /** A figure that grows with the work of handlers. */
  ofHandlers(value: Value): Estimate {
    const logs: Measure = (work) => work.logs;
    if (!this.#range.demandsAll || this.#range.isWhole) return this.growing("logs", logs, value);
    const { block, log } = leastSquares(this.#samples.map((sample) => [sample.work, value(sample)] as const));
    if (log === 0) return this.growing("blocks", ({ blocks }) => blocks, value);
    if (block === 0) return this.growing("logs", logs, value);
    const both = this.growing("blocks", ({ blocks, logs: found }) => block * blocks + log * found, value);
    return { ...both, from: ["blocks", "logs"] };
  }

  /** A figure that grows with a measure of the work. */
  growing(basis: Basis, measure: Measure, value: Value): Estimate {
    const all = this.#samples;
    if (this.#range.isWhole) {
      const whole = all.reduce((sum, sample) => sum + value(sample), 0);
      return { estimate: whole, least: whole, most: whole, from: whole > 0 ? ["whole"] : [] };
    }
    const scaled = sides.map((side) => {
      const own = all.filter((sample) => sample.side === side);
      // Without its own sample, a side is assumed to be like the rest.
      return this.#scaled(basis, measure, value, own.length > 0 ? own : all, this.#range.work[side]);
    });
    return sumOf(scaled);
  }

  #scaled(
    basis: Basis,
    measure: Measure,
    value: Value,
    samples: readonly SampleLoad[],
    work: Work,
  ): Estimate {
    const found = samples.reduce((sum, sample) => sum + value(sample), 0);
    const sampled = measure(samples.map((sample) => sample.work).reduce(addWork));
    if (found === 0 || work.blocks === 0) return nothing;
    // A figure without any of the things that it should grow with grows with the blocks.
    if (sampled === 0 && basis !== "blocks")
      return this.#scaled("blocks", ({ blocks }) => blocks, value, samples, work);
    const total = measure(work);
    const each = samples
      .filter((sample) => measure(sample.work) > 0)
      .map((sample) => (value(sample) / measure(sample.work)) * total);
    const doubt = basis === "logs" || basis === "demanded" || basis === "taken" ? 2 * this.#range.error : 0;
    const estimate = (found / sampled) * total;
    return {
      estimate,
      least: Math.max(0, Math.min(estimate, ...each) * (1 - doubt)),
      most: Math.max(estimate, ...each) * (1 + doubt),
      from: [basis],
    };
  }
}

const nothing: Estimate = { estimate: 0, least: 0, most: 0, from: [] };

/** The share of a method's requests that a sample sent for each stretch. */
function shareOfEnds({ methods, work }: SampleLoad, method: string): number {
  if (method === "eth_getLogs") return 1;
  const calls = methods.get(method)?.calls ?? 0;
  if (method !== "eth_getBlockByNumber" || calls === 0) return 0;
  return Math.max(0, calls - work.demanded) / calls;
}

/** How much each block and each log adds to a value, by least squares; never negative. */
function leastSquares(samples: readonly (readonly [Work, number])[]): { block: number; log: number } {
  const sum = (term: (work: Work, value: number) => number): number =>
    samples.reduce((total, [work, value]) => total + term(work, value), 0);
  const bb = sum(({ blocks }) => blocks * blocks);
  const bl = sum(({ blocks, logs }) => blocks * logs);
  const ll = sum(({ logs }) => logs * logs);
  const bv = sum(({ blocks }, value) => blocks * value);
  const lv = sum(({ logs }, value) => logs * value);
  const determinant = bb * ll - bl * bl;
  if (determinant <= rounding * bb * ll) return { block: bb === 0 ? 0 : bv / bb, log: 0 };
  const block = (bv * ll - lv * bl) / determinant;
  const log = (lv * bb - bv * bl) / determinant;
  if (log <= 0) return { block: bv / bb, log: 0 };
  return block <= 0 ? { block: 0, log: lv / ll } : { block, log };
}

/** Rounds, so that sums of fractions reach whole numbers. */
const rounding = 1e-6;

function rounded({ estimate, least, most, from }: Estimate): Estimate {
  return {
    estimate: Math.round(estimate),
    least: Math.floor(least + rounding),
    most: Math.ceil(most - rounding),
    from,
  };
}

function sumOf(estimates: readonly Estimate[]): Estimate {
  const sum = (figure: (estimate: Estimate) => number): number =>
    estimates.reduce((total, estimate) => total + figure(estimate), 0);
  return {
    estimate: sum(({ estimate }) => estimate),
    least: sum(({ least }) => least),
    most: sum(({ most }) => most),
    from: [...new Set(estimates.flatMap(({ from }) => from))],
  };
}
