import type { World } from "../../base/world.js";
import type { ToldStatus } from "../../deploy/graph-node/told-status.js";

/** Since when something has not answered, and why. */
export interface Absence {
  /** Milliseconds since 1970. */
  readonly since: number;
  readonly why: string;
}

/**
 * The last status that a graph-node reported for deployments. All callers share one pending query. While graph-node
 * does not answer, only the watch asks again.
 */
export class Mirror {
  readonly #question: (ids: readonly string[]) => Promise<readonly ToldStatus[]>;
  readonly #whyOf: (error: unknown) => string;
  readonly #world: Pick<World, "now">;
  readonly #hear: (absence: Absence | undefined) => void;
  readonly #tell: (told: ToldStatus) => void;
  readonly #last = new Map<string, ToldStatus>();
  /** The query of the last answer. A late answer to an earlier query is ignored. */
  readonly #answered = new Map<string, number>();
  #questions = 0;
  #answeredAt: number;
  #absence: Absence | undefined;

  /**
   * @param whyOf describes a failure
   * @param hear called when graph-node stops answering, and when it answers again
   * @param tell receives every new status of a deployment
   */
  constructor(
    question: (ids: readonly string[]) => Promise<readonly ToldStatus[]>,
    whyOf: (error: unknown) => string,
    world: Pick<World, "now">,
    hear: (absence: Absence | undefined) => void,
    tell: (told: ToldStatus) => void,
  ) {
    this.#hear = hear;
    this.#tell = tell;
    this.#question = question;
    this.#whyOf = whyOf;
    this.#world = world;
    this.#answeredAt = world.now();
  }

  /** Missing while it answers. */
  get absence(): Absence | undefined {
    return this.#absence;
  }

  /** The last status of a deployment; `undefined` if graph-node does not have it. */
  last(deployment: string): ToldStatus | undefined {
    return this.#last.get(deployment);
  }

  forget(deployment: string): void {
    this.#last.delete(deployment);
    this.#answered.delete(deployment);
  }

  /** Asks graph-node. @throws errors of the question */
  async ask(deployments: readonly string[]): Promise<void> {
    this.#questions += 1;
    const question = this.#questions;
    try {
      const told = new Map((await this.#question(deployments)).map((one) => [one.subgraph, one]));
      for (const deployment of deployments) {
        if ((this.#answered.get(deployment) ?? 0) > question) continue;
        this.#answered.set(deployment, question);
        const one = told.get(deployment);
        if (one) this.#last.set(deployment, one);
        else this.#last.delete(deployment);
        if (one) this.#tell(one);
      }
      this.#answeredAt = this.#world.now();
      if (this.#absence) this.#become(undefined);
    } catch (error) {
      if (!this.#absence) this.#become({ since: this.#answeredAt, why: this.#whyOf(error) });
      throw error;
    }
  }

  /** Queries graph-node, unless it has just failed to answer. After a failure the last status stays. */
  async glance(deployments: readonly string[]): Promise<void> {
    if (this.#absence || deployments.length === 0) return;
    await this.ask(deployments).catch(() => undefined);
  }

  #become(absence: Absence | undefined): void {
    this.#absence = absence;
    this.#hear(absence);
  }
}
