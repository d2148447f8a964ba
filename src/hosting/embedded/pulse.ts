/** Places in the memory that a thread shares with whoever watches it. */
const place = { beats: 0, block: 1, handler: 2 } as const;

/** What a thread shows while it works: that it is alive, and which handler it runs. A handler holds up everything else. */
export class Pulse {
  readonly memory: SharedArrayBuffer;
  readonly #fields: Int32Array;

  constructor(memory = new SharedArrayBuffer(12)) {
    this.memory = memory;
    this.#fields = new Int32Array(memory);
  }

  /** Shows a sign of life. */
  beat(): void {
    Atomics.add(this.#fields, place.beats, 1);
  }

  /** The same, with the handler that is about to be run, by a number from 1 on. */
  beginHandler(handler: number, block: number): void {
    Atomics.store(this.#fields, place.handler, handler);
    Atomics.store(this.#fields, place.block, block);
    this.beat();
  }

  /** How many signs there were. */
  get beats(): number {
    return Atomics.load(this.#fields, place.beats);
  }

  /** The handler that was run last; 0 when there was none. */
  get handler(): number {
    return Atomics.load(this.#fields, place.handler);
  }

  /** The block in which it was run. */
  get block(): number {
    return Atomics.load(this.#fields, place.block);
  }
}
