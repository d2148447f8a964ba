/** A running read, and the next one, which all requests that arrived meanwhile share. */
interface Reading<Value> {
  readonly running: Promise<Value>;
  next?: Promise<Value>;
}

/**
 * Single flight for reads that must not be older than their requests. All requests that arrive while a read runs share the
 * next one.
 */
export class SharedRead<Value> {
  readonly #readings = new Map<string, Reading<Value>>();

  /** @param key identifies the value; equal keys must have equal reads */
  read(key: string, read: () => Promise<Value>): Promise<Value> {
    const reading = this.#readings.get(key);
    if (!reading) return this.#begin(key, read);
    reading.next ??= reading.running.then(
      () => this.#begin(key, read),
      () => this.#begin(key, read),
    );
    return reading.next;
  }

  #begin(key: string, read: () => Promise<Value>): Promise<Value> {
    const running = read();
    const reading: Reading<Value> = { running };
    this.#readings.set(key, reading);
    const end = (): void => {
      if (this.#readings.get(key) === reading && !reading.next) this.#readings.delete(key);
    };
    running.then(end, end);
    return running;
  }
}
