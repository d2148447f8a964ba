/** How far a process stands back that a user waits for. The server itself has 0. */
const waitedFor = 3;
/** The same for one pipeline of a project, and for a task. */
const alone = 6;
const task = 10;
/** The farthest that there is. */
const last = 19;
/** The shares of two processes on a busy machine whose priorities are next to each other, on Linux. */
const step = 1.25;

/** The work of a process. */
export type ProcessMode = "check" | "compare" | "preview" | "snapshot" | "run" | "task";

/** A process whose priority can change. */
interface Ranked {
  /** @param nice 0 as the server, up to 19 */
  standBack(nice: number): void;
}

/**
 * The priorities of pipelines' processes. The more pipelines a project runs, the less each of them gets of a busy machine,
 * so that 50 get about as much as three of projects with one.
 */
export class Priorities {
  readonly #running = new Map<string, Set<Ranked>>();

  /** Sets the priority of a process, and that of its project's others. @returns what to do once it has ended */
  join(project: string, mode: ProcessMode, one: Ranked): () => void {
    if (mode !== "run") {
      one.standBack(mode === "task" ? task : waitedFor);
      return () => undefined;
    }
    const own = this.#running.get(project) ?? new Set();
    this.#running.set(project, own.add(one));
    rank(own);
    return () => {
      own.delete(one);
      if (own.size === 0) this.#running.delete(project);
      rank(own);
    };
  }
}

function rank(processes: ReadonlySet<Ranked>): void {
  const nice = Math.min(last, alone + Math.round(Math.log(processes.size) / Math.log(step)));
  for (const one of processes) one.standBack(nice);
}
