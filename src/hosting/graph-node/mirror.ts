import type { World } from "../../base/world.js";
import type { ToldStatus } from "../../deploy/graph-node/told-status.js";

/** Since when something does not answer, and why. */
export interface Absence {
  /** Milliseconds since 1970. */
  readonly since: number;
  readonly why: string;
}

/**
 * What a graph-node has told of deployments last, with one question at a time for whoever waits: while it does not
 * answer, nobody but the watch asks again.
 */
export class Mirror {
  readonly #question: (ids: readonly string[]) => Promise<readonly ToldStatus[]>;
  readonly #whyOf: (error: unknown) => string;
  readonly #world: Pick<World, "now">;
  readonly #hear: (absence: Absence | undefined) => void;
  readonly #tell: (told: ToldStatus) => void;
  readonly #last = new Map<string, ToldStatus>();
  /** Which question the last answer was to: an earlier one, whose answer comes later, tells nothing new. */
  readonly #answered = new Map<string, number>();
  #questions = 0;
  #answeredAt: number;
  #absence: Absence | undefined;

  /**
   * @param whyOf what is said of a failure
   * @param hear is told when it answers no more, and when it answers again
   * @param tell is told all that it tells of a deployment
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

  /** Nothing while it answers. */
  get absence(): Absence | undefined {
    return this.#absence;
  }

  /** What was told last; nothing for what it does not have. */
  last(deployment: string): ToldStatus | undefined {
    return this.#last.get(deployment);
  }

  forget(deployment: string): void {
    this.#last.delete(deployment);
    this.#answered.delete(deployment);
  }

  /** Asks. @throws what the question throws */
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

  /** Asks, unless there was no answer just now; a failure leaves what was told last. */
  async glance(deployments: readonly string[]): Promise<void> {
    if (this.#absence || deployments.length === 0) return;
    await this.ask(deployments).catch(() => undefined);
  }

  #become(absence: Absence | undefined): void {
    this.#absence = absence;
    this.#hear(absence);
  }
}
