/** How far long work is, in any unit, such as blocks. */
export interface Work {
  /** What was done when its progress was first seen. */
  readonly begin: number;
  readonly done: number;
  readonly total: number;
  /** Milliseconds since then. */
  readonly spent: number;
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

/** A status line: a bar and the time left, and then what else there is to say, which narrow terminals cut off. */
export function progressLine(work: Work, parts: readonly string[]): string {
  const head = [barOf(work), timeLeft(work)].filter((part) => part !== "").join(", ");
  return [head, ...parts].filter((part) => part !== "").join(" | ");
}

function durationText(seconds: number): string {
  if (seconds < 100) return `${Math.ceil(seconds)} s`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 100 ? `${minutes} min` : `${Math.ceil(minutes / 60)} h`;
}
