import type { AnsweredBy } from "../../base/meters.js";
import { Durations } from "./durations.js";
import { type Figure, type Measured, type QueryNumbers, worse } from "./figure.js";
import type { MinuteRow } from "./figure-rows.js";

interface Tally extends Measured, QueryNumbers {
  readonly isOwn: boolean;
  /** The durations of answered queries; `undefined` before the first. */
  readonly durations?: Durations;
  readonly eventSum: number;
  readonly eventCount: number;
}

const noQueries: QueryNumbers = { fromMemory: 0, fromEngine: 0, refused: 0, failed: 0 };
const empty: Tally = { isOwn: false, eventSum: 0, eventCount: 0, ...noQueries };

const place = {
  memory: "fromMemory",
  shared: "fromMemory",
  engine: "fromEngine",
  refused: "refused",
  failed: "failed",
} as const;

/** A server's measurements and counts within one minute. */
export class Minute {
  /** The beginning, in milliseconds since 1970. */
  readonly at: number;
  readonly #tallies = new Map<string, Tally>();
  /** The deployments whose queries are not counted. */
  readonly #uncounted = new Set<string>();

  /** @param now a time within it, in milliseconds since 1970 */
  constructor(now: number) {
    this.at = Math.floor(now / 60_000) * 60_000;
  }

  /** Adds a measurement. @param isOwn whether this server indexes the deployment */
  measured(deployment: string, next: Measured, isOwn: boolean): void {
    const tally = this.#tallies.get(deployment) ?? empty;
    const { eventsPerSecond } = next;
    this.#tallies.set(deployment, {
      ...tally,
      isOwn: tally.isOwn || isOwn,
      state: worse(tally.state, next.state),
      block: next.block ?? tally.block,
      chainBlock: next.chainBlock ?? tally.chainBlock,
      lagBlocks: greater(tally.lagBlocks, next.lagBlocks),
      lagSeconds: greater(tally.lagSeconds, next.lagSeconds),
      ...(eventsPerSecond !== undefined && {
        eventSum: tally.eventSum + eventsPerSecond,
        eventCount: tally.eventCount + 1,
      }),
    });
  }

  /** Counts a query. How long it took counts if it was answered. */
  queried(deployment: string, from: AnsweredBy, seconds: number): void {
    const tally = this.#tallies.get(deployment) ?? empty;
    const name = place[from];
    const { durations = new Durations() } = tally;
    if (name === "fromMemory" || name === "fromEngine") durations.add(seconds * 1000);
    this.#tallies.set(deployment, { ...tally, durations, [name]: tally[name] + 1 });
  }

  /** Leaves out the queries of a deployment, including any counted already. */
  leaveOutQueries(deployment: string): void {
    this.#uncounted.add(deployment);
  }

  /** The figures of a deployment so far. */
  figure(deployment: string): Figure | undefined {
    const tally = this.#tallies.get(deployment);
    return tally && this.#figureOf(deployment, tally);
  }

  rows(): readonly MinuteRow[] {
    return [...this.#tallies].map(([deployment, tally]) => ({
      deployment,
      isOwn: tally.isOwn,
      ...this.#figureOf(deployment, tally),
    }));
  }

  #figureOf(deployment: string, { isOwn: _, eventSum, eventCount, durations, ...tally }: Tally): Figure {
    const rate = eventCount === 0 ? undefined : eventSum / eventCount;
    const isCounted = !this.#uncounted.has(deployment);
    const [p50, p95] = [0.5, 0.95].map((share) => (isCounted ? durations?.within(share) : undefined));
    return {
      ...tally,
      ...(!isCounted && noQueries),
      at: this.at,
      minutes: 1,
      eventsPerSecond: rate,
      ...(p50 !== undefined && { p50 }),
      ...(p95 !== undefined && { p95 }),
    };
  }
}

function greater(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.max(one, other);
}
