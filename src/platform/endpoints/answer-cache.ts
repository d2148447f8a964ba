import type { EncodedAnswer } from "./encoded.js";

/** An answer, what it is the answer to, and what it takes. */
interface Kept {
  readonly deployment: string;
  readonly answer: EncodedAnswer;
  readonly bytes: number;
}

/** The answers of one state of a deployment. */
interface State {
  readonly stamp: string;
  readonly keys: Set<string>;
}

/** Bytes that an entry takes besides its texts, about. */
const overhead = 400;
/** Deployments whose states are known at the most: those that were not asked for the longest are forgotten. */
const mostStates = 10_000;

/** Keeps answers for as long as their deployments are in the same state; of too many, those that nobody asked for. */
export class AnswerCache {
  readonly #limit: number;
  readonly #mostStates: number;
  /** Those asked for last at the end. */
  readonly #kept = new Map<string, Kept>();
  /** Those of the deployments that were asked last at the end. */
  readonly #states = new Map<string, State>();
  #bytes = 0;

  /**
   * @param limit in bytes
   * @param states of deployments that are known at the most
   */
  constructor(limit: number, states = mostStates) {
    this.#limit = limit;
    this.#mostStates = states;
  }

  /** Deployments whose states are known. */
  get deployments(): number {
    return this.#states.size;
  }

  /** What all answers take. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The answer of a state of a deployment. Other states of it are over. */
  get(deployment: string, stamp: string, question: string): EncodedAnswer | undefined {
    this.#enter(deployment, stamp);
    const key = keyOf(deployment, question);
    const kept = this.#kept.get(key);
    if (!kept) return undefined;
    this.#kept.delete(key);
    this.#kept.set(key, kept);
    return kept.answer;
  }

  /** Whether there is an answer of the last known state of a deployment. */
  has(deployment: string, question: string): boolean {
    return this.#kept.has(keyOf(deployment, question));
  }

  /** Keeps an answer, unless its state is over or it would take most of the place for itself. */
  put(deployment: string, stamp: string, question: string, answer: EncodedAnswer): void {
    const state = this.#states.get(deployment);
    const key = keyOf(deployment, question);
    // Characters take two bytes at the most.
    const bytes = 2 * key.length + answer.bytes.length + overhead;
    if (state?.stamp !== stamp || bytes > this.#limit / 8 || this.#kept.has(key)) return;
    this.#kept.set(key, { deployment, answer, bytes });
    state.keys.add(key);
    this.#bytes += bytes;
    for (const oldest of this.#kept.keys()) {
      if (this.#bytes <= this.#limit) break;
      this.#drop(oldest);
    }
  }

  #enter(deployment: string, stamp: string): void {
    const state = this.#states.get(deployment);
    const isSame = state?.stamp === stamp;
    if (!isSame) this.#forget(deployment);
    this.#states.delete(deployment);
    this.#states.set(deployment, isSame ? state : { stamp, keys: new Set() });
    for (const oldest of this.#states.keys()) {
      if (this.#states.size <= this.#mostStates) break;
      this.#forget(oldest);
    }
  }

  /** Forgets the state of a deployment with its answers. */
  #forget(deployment: string): void {
    for (const key of this.#states.get(deployment)?.keys ?? []) this.#drop(key);
    this.#states.delete(deployment);
  }

  #drop(key: string): void {
    const kept = this.#kept.get(key);
    if (!kept) return;
    this.#kept.delete(key);
    this.#states.get(kept.deployment)?.keys.delete(key);
    this.#bytes -= kept.bytes;
  }
}

function keyOf(deployment: string, question: string): string {
  return `${deployment}\n${question}`;
}
