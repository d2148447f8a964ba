import { reportFailure } from "../../../base/failures.js";
import { guarded } from "../../../base/turns/guarded.js";
import type { World } from "../../../base/world.js";
import { DatabaseError } from "../database.js";

/** Milliseconds until a statement that has not ended is cancelled again: the first time, and at most. */
const [firstPause, longestPause] = [20, 1_000];
/** The code of a statement that was cancelled. */
const cancelled = "57014";

/** Ends the statements of a connection when their caller leaves. */
export class EndingStatements {
  readonly #signal: AbortSignal | undefined;
  readonly #cancel: () => Promise<void>;
  readonly #world: Pick<World, "sleep">;
  readonly #forget: () => void;
  #running = 0;
  #ending: Promise<void> | undefined;

  /** @param cancel cancels the connection's statement; fulfilled once the server's process has received it */
  constructor(signal: AbortSignal | undefined, cancel: () => Promise<void>, world: Pick<World, "sleep">) {
    this.#signal = signal;
    this.#cancel = cancel;
    this.#world = world;
    const leave = guarded(() => {
      this.#ending = this.#endAll();
      // `settled` and `end` throw it.
      this.#ending.catch(() => undefined);
    }, reportFailure);
    signal?.addEventListener("abort", leave, { once: true });
    this.#forget = () => signal?.removeEventListener("abort", leave);
  }

  /** Runs a statement. @throws the signal's reason once it is aborted, and errors of the statement */
  async run<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
    this.#signal?.throwIfAborted();
    this.#running += 1;
    try {
      return await ask();
    } catch (error) {
      if (error instanceof DatabaseError && error.code === cancelled) this.#signal?.throwIfAborted();
      throw error;
    } finally {
      this.#running -= 1;
    }
  }

  /** Fulfilled once no cancellation can affect later statements on the connection. */
  async settled(): Promise<void> {
    await this.#ending;
  }

  /** Hands the connection back. */
  async end(): Promise<void> {
    this.#forget();
    await this.#ending;
  }

  /** A cancellation has no effect if it arrives before the statement, so it is repeated until the statement ends. */
  async #endAll(): Promise<void> {
    for (let pause = firstPause; this.#running > 0; pause = Math.min(2 * pause, longestPause)) {
      // Without a way to the server, the statement ends at its time limit or with the connection.
      await this.#cancel().catch(() => undefined);
      if (this.#running > 0) await this.#world.sleep(pause);
    }
  }
}
