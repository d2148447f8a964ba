/** Single flight: callers that ask for work that is already running share its result. */
export class SingleFlight<Result> {
  readonly #flights = new Map<string, Promise<Result>>();

  /** The running work. */
  get(key = ""): Promise<Result> | undefined {
    return this.#flights.get(key);
  }

  /** Joins the running work, or starts it. @throws errors of the work, to all callers */
  run(work: () => Promise<Result>, key = ""): Promise<Result> {
    return this.#flights.get(key) ?? this.begin(work(), key);
  }

  /** Lets later callers join this work, even if other work is running. */
  begin(work: Promise<Result>, key = ""): Promise<Result> {
    const flight = work.finally(() => {
      if (this.#flights.get(key) === flight) this.#flights.delete(key);
    });
    this.#flights.set(key, flight);
    return flight;
  }

  /** Stops further callers from joining the work that is running. */
  clear(): void {
    this.#flights.clear();
  }
}
