/** Positions in the memory that a thread shares with its watcher. */
const place = { beats: 0, block: 1, handler: 2 } as const;

/** Shows that a thread is alive, and which handler it runs, because a handler blocks everything else. */
export class Pulse {
  readonly memory: SharedArrayBuffer;
  readonly #fields: Int32Array;

  constructor(memory = new SharedArrayBuffer(12)) {
    this.memory = memory;
    this.#fields = new Int32Array(memory);
  }

  /** Gives a sign of life. */
  beat(): void {
    Atomics.add(this.#fields, place.beats, 1);
  }

  /** Gives a sign of life, with the number of the handler that is about to run, from 1. */
  beginHandler(handler: number, block: number): void {
    Atomics.store(this.#fields, place.handler, handler);
    Atomics.store(this.#fields, place.block, block);
    this.beat();
  }

  /** The number of signs. */
  get beats(): number {
    return Atomics.load(this.#fields, place.beats);
  }

  /** The last handler that ran; 0 if there was none. */
  get handler(): number {
    return Atomics.load(this.#fields, place.handler);
  }

  /** The block in which it ran. */
  get block(): number {
    return Atomics.load(this.#fields, place.block);
  }
}
