import type { SinkProgress } from "../../pipelines/runner/run-sink.js";
import type { Work } from "../terminal/progress.js";

/** A block to which a source is read. */
export interface Aim {
  readonly block: number;
  /** Whether the source ends there; otherwise it is the head of a chain, which grows. */
  readonly isEnd: boolean;
}

/** The progress of a sink. */
interface Way {
  /** The rows and the blocks with which it was first seen, and when that was, in milliseconds. */
  readonly beginRows: number;
  readonly begins: ReadonlyMap<string, number>;
  readonly since: number;
  readonly progress: SinkProgress;
}

/** How far the sinks of a flow are on the way to the ends of their sources, or to the heads of their chains. */
export class SinkAims {
  /** Aims that hold for all sources of a sink. */
  readonly #targets = new Map<string, Aim>();
  /** Aims of sources, by sink. */
  readonly #aims = new Map<string, Map<string, Aim>>();
  readonly #ways = new Map<string, Way>();
  /** Sinks that have arrived, and follow their chains since. */
  readonly #arrived = new Set<string>();

  /** Tells up to which block a sink writes. */
  expect(sink: string, block: number): void {
    this.#targets.set(sink, { block, isEnd: true });
  }

  /** Tells up to which block a source of a sink is read. */
  aim(sink: string, source: string, aim: Aim): void {
    const aims = this.#aims.get(sink) ?? new Map<string, Aim>();
    this.#aims.set(sink, aims.set(source, aim));
  }

  /** The aim of a source; `undefined` if none is known. */
  aimOf(sink: string, source: string): Aim | undefined {
    return this.#aims.get(sink)?.get(source);
  }

  /** Notes the progress of a sink. @param now milliseconds */
  update(sink: string, progress: SinkProgress, now: number): void {
    if (this.#arrived.has(sink)) return;
    const { blocks, rows } = progress;
    const before = this.#ways.get(sink) ?? { beginRows: rows, begins: blocks, since: now, progress };
    // A retried sink counts its rows from zero.
    const counted = rows < before.progress.rows ? before.progress.rows : 0;
    // A source that is read later begins with its first block.
    const begins = new Map([...blocks, ...before.begins]);
    const way = { ...before, beginRows: before.beginRows - counted, begins, progress };
    this.#ways.set(sink, way);
    const places = this.#placesOf(sink, way);
    if (places?.every(({ block, target }) => block >= target)) this.arrive(sink);
  }

  /** Notes that a sink has arrived where it is going for now, or gets no further. */
  arrive(sink: string): void {
    this.#ways.delete(sink);
    this.#arrived.add(sink);
  }

  /**
   * The blocks of all sinks that are on their way. There is nothing to do if none is, or if it is not known where one ends.
   * @param now milliseconds
   */
  work(now: number): Work {
    const places = [...this.#ways].flatMap(([sink, way]) => this.#placesOf(sink, way) ?? unknown);
    const isKnown = places.every(({ isEnd }) => isEnd);
    const sum = (of: (place: Place) => number): number =>
      isKnown ? places.reduce((all, place) => all + of(place), 0) : 0;
    return {
      begin: sum(({ begin }) => begin),
      done: sum(({ block }) => block),
      total: sum(({ target }) => target),
      spent: this.#spent(now),
    };
  }

  /** Their rows per second; `undefined` if none is on its way to a block that is known. @param now milliseconds */
  rate(now: number): number | undefined {
    const isAimed = [...this.#ways.keys()].some((sink) => this.#targets.has(sink) || this.#aims.has(sink));
    if (!isAimed) return undefined;
    const rows = [...this.#ways.values()].reduce(
      (all, { progress, beginRows }) => all + progress.rows - beginRows,
      0,
    );
    return Math.round((rows * 1_000) / Math.max(this.#spent(now), 1));
  }

  #spent(now: number): number {
    return now - Math.min(now, ...[...this.#ways.values()].map(({ since }) => since));
  }

  /** Where the sources of a sink are; `undefined` while that is not known of all, or their aims are not. */
  #placesOf(sink: string, { begins, progress: { blocks } }: Way): readonly Place[] | undefined {
    const target = this.#targets.get(sink);
    const awaited = this.#aims.get(sink)?.keys() ?? [];
    if (blocks.size === 0 || [...awaited].some((source) => !blocks.has(source))) return undefined;
    const places = [...blocks].flatMap(([source, block]): Place[] => {
      const aim = this.aimOf(sink, source) ?? target;
      return aim ? [{ begin: begins.get(source) ?? block, block, target: aim.block, isEnd: aim.isEnd }] : [];
    });
    return places.length === blocks.size ? places : undefined;
  }
}

/** Where a source of a sink is. */
interface Place {
  readonly begin: number;
  readonly block: number;
  readonly target: number;
  readonly isEnd: boolean;
}

/** The place of a source of which nothing is known. */
const unknown: readonly Place[] = [{ begin: 0, block: 0, target: 0, isEnd: false }];
