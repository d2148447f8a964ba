import { randomOf } from "../random.js";

/** The topics of the law. */
export const lawTopics = ["orders", "people", "stock"] as const;
type LawTopic = (typeof lawTopics)[number];

/** A message to write. */
export interface PlayedMessage {
  readonly partition: number;
  readonly key: string;
  /** Null for one without a value. */
  readonly value: string | null;
}

/** Messages that are written in one go. */
export interface PlayedWrite {
  readonly topic: LawTopic;
  readonly messages: readonly PlayedMessage[];
  /** How it ends if it is a transaction. */
  readonly transaction: "commit" | "abort" | undefined;
}

interface Item {
  readonly name: string;
  readonly amount: number;
}

interface Person {
  readonly id: string;
  readonly name: string;
  readonly age: number;
}

/**
 * What happens in topics, in rounds that a seed determines: messages that are rows, changes of a table, and rows that replace
 * each other by their keys.
 */
export class TopicSchedule {
  /** Partitions of each topic now. */
  partitions: number;
  /** The rows of the table. */
  readonly people = new Map<string, Person>();
  /** The last row of each key. */
  readonly stock = new Map<string, Item>();
  readonly #random: () => number;
  /** Each key stays in its partition, so that its changes have an order. */
  readonly #places = new Map<string, number>();
  #number = 0;

  constructor(seed: number) {
    this.#random = randomOf(seed);
    this.partitions = 1 + this.#below(3);
  }

  /** Whether the topics get a partition more before the next round. */
  grows(): boolean {
    if (this.partitions >= 5 || this.#random() >= 0.3) return false;
    this.partitions += 1;
    return true;
  }

  /** The writes of the next round. */
  *play(): Generator<PlayedWrite> {
    yield this.#items();
    for (let count = this.#below(6); count >= 0; count -= 1) {
      const topic = lawTopics[this.#below(lawTopics.length)] ?? "orders";
      if (topic === "stock") yield this.#items();
      else if (topic === "people")
        yield {
          topic,
          messages: this.#changes(),
          transaction: this.#random() < 0.3 ? "commit" : undefined,
        };
      else {
        const chance = this.#random();
        const transaction = chance < 0.2 ? "abort" : chance < 0.5 ? "commit" : undefined;
        const messages = Array.from({ length: 1 + this.#below(12) }, () =>
          this.#order(transaction === "abort"),
        );
        yield { topic, messages, transaction };
      }
    }
  }

  #order(isAborted: boolean): PlayedMessage {
    this.#number += 1;
    const partition = this.#below(this.partitions);
    const chance = this.#random();
    const row = { id: `o${this.#number}`, amount: this.#below(1_000), ...(isAborted && { aborted: true }) };
    const value = chance < 0.05 ? null : chance < 0.1 ? "{ not JSON" : JSON.stringify(row);
    return { partition, key: row.id, value };
  }

  #items(): PlayedWrite {
    const chance = this.#random();
    const transaction = chance < 0.2 ? "abort" : chance < 0.5 ? "commit" : undefined;
    const messages = Array.from({ length: 1 + this.#below(10) }, (): PlayedMessage => {
      const id = `s${this.#below(8)}`;
      const partition = this.#placeOf(id);
      const item =
        this.#random() < 0.3 ? null : { name: `name ${this.#below(50)}`, amount: this.#below(1_000) };
      if (transaction !== "abort" && item) this.stock.set(id, item);
      else if (transaction !== "abort") this.stock.delete(id);
      const value = item && JSON.stringify(this.#random() < 0.5 ? item : { id, ...item });
      return { partition, key: this.#random() < 0.5 ? id : JSON.stringify({ id }), value };
    });
    return { topic: "stock", messages, transaction };
  }

  #changes(): readonly PlayedMessage[] {
    return Array.from({ length: 1 + this.#below(8) }, () => this.#change()).flat();
  }

  #change(): readonly PlayedMessage[] {
    const id = `p${this.#below(8)}`;
    const before = this.people.get(id);
    const partition = this.#placeOf(id);
    const isGone = before !== undefined && this.#random() < 0.3;
    const after = isGone ? null : { id, name: `name ${this.#below(50)}`, age: this.#below(40) };
    if (after) this.people.set(id, after);
    else this.people.delete(id);
    const op = isGone ? "d" : before ? "u" : "c";
    const envelope = { before: before ?? null, after, op };
    const value = this.#random() < 0.5 ? envelope : { schema: {}, payload: envelope };
    const change = { partition, key: id, value: JSON.stringify(value) };
    return isGone ? [change, { partition, key: id, value: null }] : [change];
  }

  #placeOf(key: string): number {
    const partition = this.#places.get(key) ?? this.#below(this.partitions);
    this.#places.set(key, partition);
    return partition;
  }

  #below(most: number): number {
    return Math.floor(this.#random() * most);
  }
}
