import type { AdoptedContents } from "../source-contents.js";
import { SourceError } from "../source-error.js";
import { EntityContents, type EntityContentsOptions } from "./entity-contents.js";
import { followerOf } from "./entity-source.js";
import { type KnownPlace, type PartPlace, Readings } from "./readings.js";
import { subgraphsUnread } from "./subgraphs-unread.js";

/** The entity, and how the sink reads it. */
export interface AdoptedEntityOptions extends EntityContentsOptions {
  /** Whether the sink takes the entities that exist at its start. */
  readonly withRows: boolean;
}

/** A reading that was begun for a sink. */
type Begun = Pick<KnownPlace, "reading" | "parts">;

/**
 * The rows of an entity for a sink whose position the database does not know: it was restored, or the sink was. A
 * reading begins, with the rows of that moment. Once the sink has them, its position stands for this moment.
 */
export class AdoptedEntity extends EntityContents implements AdoptedContents {
  readonly #options: AdoptedEntityOptions;
  readonly #readings: Readings;
  #begun: Begun | undefined;
  #isSettled = false;

  constructor(options: AdoptedEntityOptions) {
    super(options);
    this.#options = options;
    this.#readings = new Readings(options.database, options.owner);
  }

  async settle(position: number): Promise<void> {
    if (!this.#begun) return;
    const { reading, parts } = this.#begun;
    await tried(this.#readings.note(reading, undefined, position, parts));
    this.#isSettled = true;
  }

  async end(): Promise<void> {
    if (!this.#begun || this.#isSettled) return;
    const { reading } = this.#begun;
    for (const part of this.#options.parts) await tried(followerOf(part, reading, this.#options).end());
    await tried(this.#readings.end(reading));
  }

  protected override async known(position: number): Promise<Begun> {
    this.#begun ??= (await super.known(position)) ? undefined : await tried(this.#begin());
    return this.#begun ?? ((await super.known(position)) as Begun);
  }

  async #begin(): Promise<Begun> {
    const { parts, owner, withRows, finalOnly } = this.#options;
    if (finalOnly || !withRows)
      throw new SourceError(
        `Sink ${owner.sink} takes only ${finalOnly ? "final blocks" : "what came after it began"}, so what it should hold now is unknown. To begin again, write to another table, or drop this one.`,
        false,
      );
    const { reading } = await this.#readings.begin();
    const begun = new Map<number, PartPlace>();
    this.#begun = { reading, parts: begun };
    for (const part of parts) {
      const { seq } = await followerOf(part, reading, this.#options).begin(false);
      begun.set(part.deployment, { seq, build: part.build });
    }
    return { reading, parts: begun };
  }
}

async function tried<T>(work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => {
    throw subgraphsUnread(error);
  });
}
