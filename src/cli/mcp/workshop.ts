import { reportFailure } from "../../base/failures.js";
import { FairTurns, TooMuchWaitingError } from "../../base/turns/fair-turns.js";
import { guarded } from "../../base/turns/guarded.js";
import { ShortOfMemoryError } from "../../base/turns/memory-guard.js";
import type { ProcessMemoryGuard } from "../../machine/processes/memory-guard.js";
import { type Child, type ChildEnd, startChild } from "../../machine/processes/start-child.js";
import { ToolRefusal } from "../../mcp/tool.js";
import { jobChannel, type WorkshopAnswer, type WorkshopJob } from "./workshop-job.js";

/** Limits of the work for clients of a server. */
export interface WorkshopLimits {
  /** Seconds of one job. */
  readonly seconds: number;
  /** Megabytes of a job's process, and of its JavaScript heap. */
  readonly memory: number;
  readonly heap: number;
}

/** What a large subgraph needs several times over. */
export const usualLimits: WorkshopLimits = { seconds: 60, memory: 1_000, heap: 600 };

/** A compiler takes a processor, so projects take turns. */
const turnLimits = {
  atOnce: 2,
  atOnceOfOne: 1,
  waitingOfOne: 4,
  refusal: "This project has 4 checks and builds waiting already. Wait for them, then try again.",
};
/** Queries and pages of the server go first. */
const nice = 10;

/** Works on files that clients of a server send, each job in a process of its own. */
export class Workshop {
  readonly #turns = new FairTurns(turnLimits);
  readonly #running = new Set<Child>();
  readonly #limits: WorkshopLimits;
  readonly #guard: ProcessMemoryGuard | undefined;

  constructor(guard: ProcessMemoryGuard | undefined, limits = usualLimits) {
    this.#guard = guard;
    this.#limits = limits;
    guard?.add(() => [...this.#running].reduce((sum, child) => sum + (child.memory() ?? 0), 0));
  }

  /**
   * Does a job in its turn.
   * @throws ToolRefusal if it is refused or too large; the reason of the signal
   */
  async run(
    project: string,
    job: WorkshopJob,
    signal: AbortSignal,
  ): Promise<Exclude<WorkshopAnswer, { kind: "refused" | "bug" }>> {
    try {
      return await this.#turns.run(project, () => this.#work(job, signal), signal);
    } catch (error) {
      const isRefusal = error instanceof TooMuchWaitingError || error instanceof ShortOfMemoryError;
      throw isRefusal ? new ToolRefusal(error.message) : error;
    }
  }

  async #work(job: WorkshopJob, signal: AbortSignal) {
    signal.throwIfAborted();
    this.#guard?.require();
    const { seconds, memory, heap } = this.#limits;
    const script = new URL("./workshop-worker.js", import.meta.url);
    const child = startChild({ script, title: "workshop", heap, memory });
    this.#running.add(child);
    child.standBack(nice);
    let answer: WorkshopAnswer | undefined;
    const port = child.channels.open(jobChannel);
    port.on("message", (said: WorkshopAnswer) => {
      answer ??= said;
      child.kill();
    });
    const late = AbortSignal.timeout(seconds * 1_000);
    const over = AbortSignal.any([signal, late]);
    const kill = guarded(child.kill, reportFailure);
    over.addEventListener("abort", kill, { once: true });
    port.postMessage(job);
    const end = await child.ended;
    over.removeEventListener("abort", kill);
    this.#running.delete(child);
    signal.throwIfAborted();
    if (answer?.kind === "refused") throw new ToolRefusal(answer.message);
    if (answer?.kind === "bug") throw new Error(answer.stack);
    if (answer) return answer;
    if (late.aborted)
      throw new ToolRefusal(
        `It took more than ${seconds} s and was stopped. Make the subgraph smaller, or use graphloom on your own machine.`,
      );
    throw endError(end, child.lastWords());
  }
}

function endError(end: ChildEnd, words: string): Error {
  if (end.kind === "out-of-memory")
    return new ToolRefusal(
      `It used more than ${end.megabytes} MB of memory and was stopped. Make the subgraph smaller, or use graphloom on your own machine.`,
    );
  if (end.kind === "not-started")
    return new ToolRefusal("The server cannot start a process. Try again later.");
  const how = end.kind === "misheard" ? String(end.error) : `it ended with ${end.signal ?? end.code}`;
  return new Error(`the process of a tool failed: ${how} ${words}`);
}
