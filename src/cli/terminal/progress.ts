/** How far long work is, in any unit, such as blocks. */
export interface Work {
  /** The work that was already done when its progress was first seen. */
  readonly begin: number;
  readonly done: number;
  readonly total: number;
  /** Milliseconds since then. */
  readonly spent: number;
  /** Where the bar begins, if not where the progress was first seen. */
  readonly from?: number | undefined;
}

/** The characters of a bar. */
const width = 10;

/** A bar with its percentage, rounded down: `████░░░░░░ 42 %`. Empty if there is nothing to do. */
export function barOf({ begin, done, total }: Omit<Work, "spent">): string {
  if (total <= begin) return "";
  const share = Math.min(1, Math.max(0, (done - begin) / (total - begin)));
  const full = Math.floor(share * width);
  return `${"█".repeat(full)}${"░".repeat(width - full)} ${Math.floor(share * 100)} %`;
}

/** How long the rest takes at the speed so far: `3 min left`. Empty before anything was done, and at the end. */
export function timeLeft({ begin, done, total, spent }: Work): string {
  if (done <= begin || done >= total || spent <= 0) return "";
  return `${durationText(((total - done) * spent) / (done - begin) / 1000)} left`;
}

/** A status line: a bar and the time left, followed by more information, which narrow terminals cut off. */
export function progressLine(work: Work, parts: readonly string[]): string {
  const { begin, from = begin } = work;
  const head = [barOf({ ...work, begin: from }), timeLeft(work)].filter((part) => part !== "").join(", ");
  return [head, ...parts].filter((part) => part !== "").join(" | ");
}

/** How much is done in a second; undefined before any work was done. */
export function rateOf({ begin, done, spent }: Work): number | undefined {
  return done > begin && spent > 0 ? Math.round(((done - begin) * 1000) / spent) : undefined;
}

/** Work that is done elsewhere, such as by a server: its speed is measured since it was first seen. */
export class WatchedWork {
  #first: { readonly done: number; readonly at: number } | undefined;
  #last = 0;

  /**
   * The current state of the work. If less is done than before, the work has started over. @param now milliseconds
   */
  see({ from, done, total }: { from?: number | undefined; done: number; total: number }, now: number): Work {
    if (!this.#first || done < this.#last) this.#first = { done, at: now };
    this.#last = done;
    return { from, begin: this.#first.done, done, total, spent: now - this.#first.at };
  }
}

function durationText(seconds: number): string {
  if (seconds < 100) return `${Math.ceil(seconds)} s`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 100 ? `${minutes} min` : `${Math.ceil(minutes / 60)} h`;
}
