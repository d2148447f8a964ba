/**
 * What the thread of a script reports to the thread that waits for it, in shared memory: a script in a long operation
 * of its engine cannot send messages.
 */
export class Pulse {
  readonly memory: SharedArrayBuffer;
  /** Beats, whether a script is running, its first row, and how many rows there are. */
  readonly #cells: Int32Array;

  constructor(memory = new SharedArrayBuffer(16)) {
    this.memory = memory;
    this.#cells = new Int32Array(memory);
  }

  /** The script runs for some rows. */
  enter(first: number, count: number): void {
    Atomics.store(this.#cells, 2, first);
    Atomics.store(this.#cells, 3, count);
    Atomics.store(this.#cells, 1, 1);
    this.beat();
  }

  /** Records that the script is still running, and can be interrupted. */
  beat(): void {
    Atomics.add(this.#cells, 0, 1);
  }

  /** The script has returned. */
  leave(): void {
    Atomics.store(this.#cells, 1, 0);
  }

  /** How often the script has beaten; `undefined` while none runs. */
  get beats(): number | undefined {
    return Atomics.load(this.#cells, 1) === 1 ? Atomics.load(this.#cells, 0) : undefined;
  }

  /** The row that the script is running for, if it is a single one. */
  get row(): number | undefined {
    return Atomics.load(this.#cells, 3) === 1 ? Atomics.load(this.#cells, 2) : undefined;
  }
}
