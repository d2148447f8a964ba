import { FairTurns } from "../../../base/turns/fair-turns.js";

/** Runs work when it is the turn of one user of a database. */
export type InTurn = <Result>(work: () => Promise<Result>) => Promise<Result>;

const oneAtATime = { atOnce: 1, atOnceOfOne: 1 };

/**
 * The turns of threads and processes with a database in this process. One of them has it at a time, so that a direct user
 * waits for at most one. Projects take turns, and within each its deployments or pipelines do.
 */
export class DatabaseTurns {
  readonly #projects = new FairTurns(oneAtATime);
  readonly #ofProject = new Map<string, FairTurns>();

  /** The turns of one of a project's deployments or pipelines. */
  of(project: string, name: string): InTurn {
    const own = this.#ofProject.get(project) ?? new FairTurns(oneAtATime);
    this.#ofProject.set(project, own);
    return (work) => own.run(name, () => this.#projects.run(project, work));
  }
}
