import { Problem } from "../problem.js";

/** Readers that a project can have at a time. */
const mostReaders = 8;

/** Counts the viewers of pipeline rows, by project. */
export class RowReaders {
  readonly #counts = new Map<string, number>();

  /** Counts a reader in. @returns a function that counts it out, once @throws Problem `unprocessable` if there are too many */
  enter(project: string): () => void {
    const now = this.#counts.get(project) ?? 0;
    if (now >= mostReaders)
      throw new Problem(
        "unprocessable",
        `A project can have ${mostReaders} readers of rows at a time. Close another one first.`,
      );
    this.#counts.set(project, now + 1);
    let isIn = true;
    return () => {
      if (!isIn) return;
      isIn = false;
      const rest = (this.#counts.get(project) ?? 1) - 1;
      if (rest > 0) this.#counts.set(project, rest);
      else this.#counts.delete(project);
    };
  }
}
