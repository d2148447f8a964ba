/** Positions in the memory that a thread shares with `HandlerTurns`. */
const place = { state: 0, isWanted: 1 } as const;

/** Whether a thread has a turn. It may lose the turn between two handlers. */
const state = { none: 0, running: 1, between: 2 } as const;

/** Shared state of `HandlerTurns` and a thread about the thread's turn, which saves a message for each handler. */
export class TurnState {
  readonly memory: SharedArrayBuffer;
  readonly #fields: Int32Array;

  constructor(memory = new SharedArrayBuffer(8)) {
    this.memory = memory;
    this.#fields = new Int32Array(memory);
  }

  /** Gives the thread the turn for its next handler. */
  give(): void {
    Atomics.store(this.#fields, place.isWanted, 0);
    Atomics.store(this.#fields, place.state, state.running);
  }

  /**
   * Takes the turn back unless a handler is running.
   * @returns whether the thread no longer has it
   */
  take(): boolean {
    return this.#change(state.between, state.none);
  }

  /** Asks the thread to return the turn after its handler. */
  want(): void {
    Atomics.store(this.#fields, place.isWanted, 1);
  }

  /** @returns whether the thread still has the turn, which it then cannot lose until `end` */
  begin(): boolean {
    return this.#change(state.between, state.running);
  }

  /** Called after a handler. @returns whether the thread has returned the turn */
  end(): boolean {
    const isWanted = Atomics.load(this.#fields, place.isWanted) === 1;
    return this.#change(state.running, isWanted ? state.none : state.between) && isWanted;
  }

  #change(from: number, to: number): boolean {
    return Atomics.compareExchange(this.#fields, place.state, from, to) === from;
  }
}

/** The turn of a thread, as the thread sees it. */
export class HandlerTurn {
  readonly #state: TurnState;
  readonly #tell: (isOver: boolean) => void;
  #onGiven: (() => void) | undefined;

  /** @param tell tells the owner of the turns that this thread waits for a turn, or has returned its turn */
  constructor(memory: SharedArrayBuffer, tell: (isOver: boolean) => void) {
    this.#state = new TurnState(memory);
    this.#tell = tell;
  }

  /** Waits for a turn; `undefined` if the thread has it. */
  begin(): Promise<void> | undefined {
    if (this.#state.begin()) return undefined;
    return new Promise((resolve) => {
      this.#onGiven = resolve;
      this.#tell(false);
    });
  }

  end(): void {
    if (this.#state.end()) this.#tell(true);
  }

  /** Called when the thread has a turn, and when it needs none because it is about to stop. */
  given(): void {
    this.#onGiven?.();
    this.#onGiven = undefined;
  }
}
