import { reportFailure } from "../../../base/failures.js";
import { inBackground } from "../../../base/turns/guarded.js";
import { RoundRobin } from "../../../base/turns/round-robin.js";
import type { World } from "../../../base/world.js";
import { TurnState } from "./handler-turn.js";

/** The turn of one thread, as the owner of the turns sees it. */
export interface Seat {
  /** Memory shared with the thread. */
  readonly memory: SharedArrayBuffer;
  /** The thread waits for a turn. */
  ask(): void;
  /** The thread has returned its turn. */
  over(): void;
  /** The thread has ended. */
  leave(): void;
}

interface Sitting {
  readonly project: string;
  readonly state: TurnState;
  readonly give: () => void;
  /** The number of looks since it got the turn. */
  looks: number;
}

/** Milliseconds between looks, while threads wait. */
const look = 10;
/** The number of checks for which a thread may keep its turn. */
const slice = 5;
/** The number of checks after which a running handler, which may never end, no longer blocks others. */
const overdue = 100;

/**
 * Lets projects share the processors that run handlers. As many handlers run at once as there are processors, and
 * each project may always run at least one. Waiting threads take turns by project; a running thread returns its turn
 * after 50 ms, or after the handler then running. A handler that runs for a second or longer shares its processor
 * with one other. So at most twice as many handlers run as there are processors.
 */
export class HandlerTurns {
  readonly #atOnce: number;
  readonly #sleep: World["sleep"];
  readonly #line = new RoundRobin<Sitting>();
  readonly #having = new Set<Sitting>();
  #isLooking = false;

  /** @param atOnce how many handlers run at once */
  constructor(atOnce: number, { sleep }: Pick<World, "sleep">) {
    this.#atOnce = atOnce;
    this.#sleep = sleep;
  }

  /** A thread's turn. @param give tells the thread that it has the turn */
  join(project: string, give: () => void): Seat {
    const sitting: Sitting = { project, state: new TurnState(), give, looks: 0 };
    const leave = (): void => {
      this.#having.delete(sitting);
      this.#line.remove(project, sitting);
      this.#next();
    };
    return {
      memory: sitting.state.memory,
      ask: () => {
        this.#having.delete(sitting);
        this.#line.push(project, sitting);
        this.#next();
        if (this.#line.size > 0) this.#look();
      },
      over: () => {
        this.#having.delete(sitting);
        this.#next();
      },
      leave,
    };
  }

  #next(): void {
    for (;;) {
      const sitting =
        this.#line.shift((project) => !this.#has(project)) ?? (this.#isFree ? this.#line.shift() : undefined);
      if (!sitting) return;
      this.#having.add(sitting);
      sitting.looks = 0;
      sitting.state.give();
      sitting.give();
    }
  }

  #has(project: string): boolean {
    return [...this.#having].some((sitting) => sitting.project === project);
  }

  /** Whether another handler may run, of any project. */
  get #isFree(): boolean {
    const late = [...this.#having].filter(({ looks }) => looks >= overdue).length;
    return this.#having.size - Math.min(late, this.#atOnce) < this.#atOnce;
  }

  /** Takes turns back as long as threads wait. */
  #look(): void {
    this.#takeBack();
    if (this.#isLooking || this.#line.size === 0) return;
    this.#isLooking = true;
    inBackground(this.#lookOn(), reportFailure);
  }

  async #lookOn(): Promise<void> {
    while (this.#line.size > 0) {
      await this.#sleep(look);
      for (const sitting of this.#having) {
        sitting.looks += 1;
        if (sitting.looks >= slice) sitting.state.want();
      }
      this.#takeBack();
    }
    this.#isLooking = false;
  }

  /** Threads that wait for a node or a database need no turn meanwhile. */
  #takeBack(): void {
    for (const sitting of this.#having) if (sitting.state.take()) this.#having.delete(sitting);
    this.#next();
  }
}
