import type { EncodedAnswer } from "./encoded.js";

/** A query that is being answered. */
interface Flight {
  readonly answer: Promise<EncodedAnswer>;
  readonly wanted: Wanted;
}

/**
 * Single flight of queries: clients that send the same query at the same time share one answer, and the work ends
 * when all have left.
 */
export class QueryFlights {
  readonly #flights = new Map<string, Flight>();

  has(key: string): boolean {
    return this.#flights.has(key);
  }

  /**
   * Joins a query that is being answered. @param gone aborted when the client leaves @returns `undefined` if
   * there is none
   */
  join(key: string, gone: AbortSignal | undefined): Promise<EncodedAnswer> | undefined {
    const flight = this.#flights.get(key);
    flight?.wanted.join(gone);
    return flight?.answer;
  }

  /**
   * Starts answering a query. Others join it from now on, even if another such query is being answered.
   * @param gone aborted when the client leaves
   * @param work receives a signal that is aborted when all clients have left
   */
  begin(
    key: string,
    gone: AbortSignal | undefined,
    work: (gone: AbortSignal) => Promise<EncodedAnswer>,
  ): Promise<EncodedAnswer> {
    const wanted = new Wanted();
    wanted.join(gone);
    const answer = work(wanted.gone).finally(() => {
      if (this.#flights.get(key)?.wanted === wanted) this.#flights.delete(key);
    });
    this.#flights.set(key, { answer, wanted });
    return answer;
  }
}

/** Whether any client still wants an answer. */
class Wanted {
  readonly #gone = new AbortController();
  #clients = 0;

  /** Aborted when all clients that joined have left. */
  get gone(): AbortSignal {
    return this.#gone.signal;
  }

  join(gone: AbortSignal | undefined): void {
    this.#clients += 1;
    const leave = (): void => {
      this.#clients -= 1;
      if (this.#clients === 0) this.#gone.abort(gone?.reason);
    };
    if (gone?.aborted) leave();
    else gone?.addEventListener("abort", leave, { once: true });
  }
}
