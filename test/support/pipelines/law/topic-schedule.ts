import { randomOf } from "../random.js";

/** A message to write. */
export interface PlayedMessage {
  readonly partition: number;
  readonly key: string;
  /** Null for one without a value. */
  readonly value: string | null;
}

/** Messages that are written in one go. */
export interface PlayedWrite {
  readonly topic: "orders" | "people";
  readonly messages: readonly PlayedMessage[];
  /** How it ends if it is a transaction. */
  readonly transaction: "commit" | "abort" | undefined;
}

interface Person {
  readonly id: string;
  readonly name: string;
  readonly age: number;
}

/** What happens in two topics, in rounds that a seed determines: messages that are rows, and changes of a table. */
export class TopicSchedule {
  /** Partitions of each topic now. */
  partitions: number;
  /** The rows of the table. */
  readonly people = new Map<string, Person>();
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
    for (let count = this.#below(6); count >= 0; count -= 1) {
      if (this.#random() < 0.5)
        yield {
          topic: "people",
          messages: this.#changes(),
          transaction: this.#random() < 0.3 ? "commit" : undefined,
        };
      else {
        const chance = this.#random();
        const transaction = chance < 0.2 ? "abort" : chance < 0.5 ? "commit" : undefined;
        const messages = Array.from({ length: 1 + this.#below(12) }, () =>
          this.#order(transaction === "abort"),
        );
        yield { topic: "orders", messages, transaction };
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

  #changes(): readonly PlayedMessage[] {
    return Array.from({ length: 1 + this.#below(8) }, () => this.#change()).flat();
  }

  #change(): readonly PlayedMessage[] {
    const id = `p${this.#below(8)}`;
    const before = this.people.get(id);
    const partition = this.#places.get(id) ?? this.#below(this.partitions);
    this.#places.set(id, partition);
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

  #below(most: number): number {
    return Math.floor(this.#random() * most);
  }
}
