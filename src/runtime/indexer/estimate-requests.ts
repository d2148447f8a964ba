import { firstSpan, nextSpan } from "./stretch.js";

/** Requests of one method, and the bytes of their answers as JSON. */
export interface MethodLoad {
  readonly calls: number;
  readonly bytes: number;
}

/** What reading a sample of a chain took. */
export interface SampleLoad {
  /** First block. */
  readonly from: number;
  /** Blocks that were indexed. */
  readonly blocks: number;
  /** Different logs in the answers. */
  readonly logs: number;
  /** Blocks that the subgraph itself demands: those with logs, or all of them. */
  readonly demanded: number;
  readonly seconds: number;
  /** Requests that each run sends once: for the chain's id, its first block, its head. */
  readonly once: ReadonlyMap<string, MethodLoad>;
  /** All other requests. */
  readonly methods: ReadonlyMap<string, MethodLoad>;
}

/** A figure, and the least and the greatest that any one sample gives. */
export interface Estimate {
  readonly estimate: number;
  readonly least: number;
  readonly most: number;
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
  readonly seconds: Estimate;
}

/**
 * Estimates what indexing takes, from samples. Requests for logs grow with the number of stretches that a run divides its
 * blocks into, and so do those for blocks that only prove where a stretch ends; all others with the number of blocks. A figure is that of all samples together; its range is that of the
 * samples one by one. If one sample is the whole range, the figures are those of the sample.
 * @param samples at least one, each with at least one block
 * @param blocks the number of blocks to index
 */
export function estimateLoad(samples: readonly SampleLoad[], blocks: number): LoadEstimate {
  const names = new Set(samples.flatMap(({ once, methods }) => [...once.keys(), ...methods.keys()]));
  const methods = [...names].sort().map((method) => ({
    method,
    calls: spread(samples, blocks, method, ({ calls }) => calls),
    bytes: spread(samples, blocks, method, ({ bytes }) => bytes),
  }));
  const scaled = samples.map((sample) => (sample.seconds / sample.blocks) * blocks);
  const sampled = samples.reduce((sum, sample) => sum + sample.blocks, 0);
  const spent = samples.reduce((sum, { seconds }) => sum + seconds, 0);
  return {
    methods,
    calls: sumOf(methods.map(({ calls }) => calls)),
    bytes: sumOf(methods.map(({ bytes }) => bytes)),
    seconds: {
      estimate: (spent / sampled) * blocks,
      least: Math.min(...scaled),
      most: Math.max(...scaled),
    },
  };
}

/**
 * The ranges to sample: spread evenly over all blocks, the first and the last included, or the whole range when the
 * samples would cover it.
 * @param count at least 1
 * @param length blocks of a sample, at least 1
 */
export function samplePlaces(
  { from, to }: { readonly from: number; readonly to: number },
  count: number,
  length: number,
): readonly { readonly from: number; readonly to: number }[] {
  const blocks = to - from + 1;
  if (blocks <= count * length) return [{ from, to }];
  const room = blocks - length;
  return Array.from({ length: count }, (_, index) => {
    const start = from + (count === 1 ? Math.floor(room / 2) : Math.floor((room * index) / (count - 1)));
    return { from: start, to: start + length - 1 };
  });
}

function spread(
  samples: readonly SampleLoad[],
  blocks: number,
  method: string,
  figure: (load: MethodLoad) => number,
): Estimate {
  const of = (loads: ReadonlyMap<string, MethodLoad>): number => figure(loads.get(method) ?? none);
  const once = Math.max(...samples.map((sample) => of(sample.once)));
  const total = (each: (sample: SampleLoad) => number): number =>
    samples.reduce((sum, sample) => sum + each(sample), 0);
  const byStretch = (sample: SampleLoad): number => of(sample.methods) * shareOfStretches(sample, method);
  const byBlock = (sample: SampleLoad): number => of(sample.methods) - byStretch(sample);
  const each = samples.map(
    (sample) =>
      once +
      (byStretch(sample) / stretchesOf(sample)) * stretches(blocks, sample.logs / sample.blocks) +
      (byBlock(sample) / sample.blocks) * blocks,
  );
  const sampled = total((sample) => sample.blocks);
  const wanted = stretches(blocks, total(({ logs }) => logs) / sampled);
  const estimate =
    once + (total(byStretch) / total(stretchesOf)) * wanted + (total(byBlock) / sampled) * blocks;
  return {
    estimate: Math.round(estimate),
    least: Math.floor(Math.min(...each) + rounding),
    most: Math.ceil(Math.max(...each) - rounding),
  };
}

/** So that sums of fractions that make a whole number are that number. */
const rounding = 1e-6;

function stretchesOf({ blocks, logs }: SampleLoad): number {
  return stretches(blocks, logs / blocks);
}

/** The share of a method's requests that a sample sent for each stretch, not for each block. */
function shareOfStretches({ methods, demanded }: SampleLoad, method: string): number {
  if (method === "eth_getLogs") return 1;
  if (method !== "eth_getBlockByNumber") return 0;
  const { calls } = methods.get(method) ?? none;
  return calls === 0 ? 0 : Math.max(0, calls - demanded) / calls;
}

const none: MethodLoad = { calls: 0, bytes: 0 };

/** The number of stretches that a run divides blocks into, if each block has the same number of logs. */
export function stretches(blocks: number, logsPerBlock: number): number {
  let number = 0;
  for (let left = blocks, span = firstSpan; left > 0; number += 1) {
    const taken = Math.min(left, span);
    left -= taken;
    span = nextSpan(span, taken * logsPerBlock);
  }
  return number;
}

function sumOf(estimates: readonly Estimate[]): Estimate {
  const sum = (figure: (estimate: Estimate) => number): number =>
    estimates.reduce((total, estimate) => total + figure(estimate), 0);
  return {
    estimate: sum(({ estimate }) => estimate),
    least: sum(({ least }) => least),
    most: sum(({ most }) => most),
  };
}
