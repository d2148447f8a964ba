/** Milliseconds over which rows are counted for a rate. */
const window = 10_000;
/** Milliseconds of which only the last reading is kept. */
const step = 250;
/** The shortest time that says something about a rate, in milliseconds. */
const shortest = 1_000;

/** Rows that had passed at a time. */
interface Reading {
  readonly at: number;
  readonly rows: number;
}

/** Tells how many rows pass in a second, over the last ten. */
export class Rates {
  readonly #now: () => number;
  readonly #readings = new Map<string, Reading[]>();

  /** @param now milliseconds since the Unix epoch */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Notes how many rows have passed somewhere so far. @returns rows in a second, with a digit after the point below 10 */
  note(where: string, rows: number): number {
    const now = Math.floor(this.#now() / step) * step;
    const readings = this.#readings.get(where) ?? [];
    this.#readings.set(where, readings);
    const last = readings.at(-1);
    // A sink that is tried again counts from the beginning.
    if (last && last.rows > rows) readings.splice(0);
    if (last?.at === now) readings.pop();
    readings.push({ at: now, rows });
    // The last one before the window says what there was when it began.
    while ((readings[1]?.at ?? now) <= now - window) readings.shift();
    const [first] = readings;
    if (!first || now - first.at < shortest) return 0;
    const rate = ((rows - first.rows) * 1_000) / (now - first.at);
    return rate < 10 ? Math.round(rate * 10) / 10 : Math.round(rate);
  }
}
