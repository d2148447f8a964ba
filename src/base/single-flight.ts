/** Single flight: whoever asks for what is under way already gets the same result. */
export class SingleFlight<Result> {
  readonly #flights = new Map<string, Promise<Result>>();

  /** What is under way. */
  get(key = ""): Promise<Result> | undefined {
    return this.#flights.get(key);
  }

  /** Joins what is under way, or begins it. @throws what the work throws, to all who joined */
  run(work: () => Promise<Result>, key = ""): Promise<Result> {
    return this.#flights.get(key) ?? this.begin(work(), key);
  }

  /** Has those who come from now on join this, whatever else is under way. */
  begin(work: Promise<Result>, key = ""): Promise<Result> {
    const flight = work.finally(() => {
      if (this.#flights.get(key) === flight) this.#flights.delete(key);
    });
    this.#flights.set(key, flight);
    return flight;
  }

  /** Has nobody join what is under way now. */
  clear(): void {
    this.#flights.clear();
  }
}
