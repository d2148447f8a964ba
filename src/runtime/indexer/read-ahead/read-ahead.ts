import type { Log } from "../../chain/chain.js";
import type { EntityKey } from "../../store/check-writes.js";
import type { Trigger } from "../../values.js";
import { type Block, type IdPattern, idFrom, patternOf } from "./id-pattern.js";

/** A way in which handlers of an event have made the id of an entity that they read. */
interface Learned {
  readonly type: string;
  readonly pattern: IdPattern;
  /** How often it was met. Once may be by chance. */
  times: number;
}

/** A block that was fetched and waits for its turn. */
interface ExpectedBlock {
  readonly block: Block;
  readonly logs: readonly Log[];
  /** How many ids were announced for it, and how many patterns were trusted then. */
  announced: number;
  patterns: number;
}

/** Patterns of the same event. */
const mostPatterns = 16;
/** Ids announced for blocks that have not run yet. The store must be able to remember as many. */
const mostAnnounced = 8_000;
const timesToTrust = 2;

/**
 * Announces to a store which entities the handlers of later blocks are likely to read, so that it reads them all at once and
 * ahead. Learns it from the reads for which a handler had to wait: most ids consist of parameters of the event. A wrong guess
 * costs a read and changes nothing else.
 */
export class ReadAhead {
  readonly #announce: (key: EntityKey) => void;
  /** By the event's topic. */
  readonly #learned = new Map<string, Learned[]>();
  /** In the order in which they will run. */
  readonly #expected = new Map<number, ExpectedBlock>();
  #announced = 0;
  #trusted = 0;

  /** @param announce tells the store */
  constructor(announce: (key: EntityKey) => void) {
    this.#announce = announce;
  }

  /** Notes that a handler had to wait for an entity. */
  learn(trigger: Trigger, { type, id }: EntityKey): void {
    if (trigger.kind !== "event") return;
    const { log, block } = trigger;
    const topic = log.topics[0] ?? "";
    const ofTopic = this.#learned.get(topic) ?? [];
    this.#learned.set(topic, ofTopic);
    const pattern = patternOf(id, log, block);
    if (!pattern) return;
    const key = pattern.join("\0");
    const known = ofTopic.find((one) => one.type === type && one.pattern.join("\0") === key);
    if (known) {
      known.times += 1;
      if (known.times === timesToTrust) this.#trusted += 1;
    } else if (ofTopic.length < mostPatterns) ofTopic.push({ type, pattern, times: 1 });
  }

  /** Notes that a block will run after those noted before. */
  expect(block: Block, logs: readonly Log[]): void {
    if (logs.length === 0) return;
    this.#expected.set(block.number, { block, logs, announced: 0, patterns: 0 });
    this.#announceNext();
  }

  /** Notes that a block runs now, so that what was announced for it makes room. */
  reach(number: number): void {
    for (const [expected, { announced }] of this.#expected) {
      if (expected > number) break;
      this.#announced -= announced;
      this.#expected.delete(expected);
    }
    this.#announceNext();
  }

  /** Forgets the blocks that were to run, because the chain has replaced some. */
  forget(): void {
    this.#expected.clear();
    this.#announced = 0;
  }

  #announceNext(): void {
    for (const expected of this.#expected.values()) {
      if (this.#announced >= mostAnnounced) return;
      if (expected.patterns === this.#trusted) continue;
      expected.patterns = this.#trusted;
      for (const log of expected.logs) {
        const count = this.#announceFor(log, expected.block);
        expected.announced += count;
        this.#announced += count;
      }
    }
  }

  #announceFor(log: Log, block: Block): number {
    let count = 0;
    for (const { type, pattern, times } of this.#learned.get(log.topics[0] ?? "") ?? []) {
      const id = times < timesToTrust ? undefined : idFrom(pattern, log, block);
      if (id === undefined) continue;
      this.#announce({ type, id });
      count += 1;
    }
    return count;
  }
}
