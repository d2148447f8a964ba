import { FeedCut, type TakenPart } from "../../../store/tables/table-follower.js";
import type { Delta } from "../../changes/delta.js";
import { noRows } from "../../changes/rows.js";
import type { ContentsScope, SourceContents } from "../source-contents.js";
import { versionRows } from "./entity-columns.js";
import { versionDelta } from "./entity-delta.js";
import { type EntityPart, type EntitySourceOptions, followerOf } from "./entity-source.js";
import { type KnownPlace, type PartPlace, Readings } from "./readings.js";
import { subgraphsUnread } from "./subgraphs-unread.js";

/** The entity, and how the sink reads it. */
export type EntityContentsOptions = Pick<
  EntitySourceOptions,
  "database" | "owner" | "parts" | "columns" | "withHistory" | "finalOnly" | "limit"
>;

/**
 * The state of an entity when a sink read it: its current rows, with later changes reverted. The database keeps these
 * changes until the sink has read them.
 */
export class EntityContents implements SourceContents {
  readonly #options: EntityContentsOptions;

  constructor(options: EntityContentsOptions) {
    this.#options = options;
  }

  async read(position: number, take: (part: Delta) => Promise<void>): Promise<ContentsScope> {
    const { parts } = this.#options;
    const known = await this.known(position);
    if (!known)
      return {
        isWhole: false,
        unproved: [
          "The database of the subgraphs does not know how far the sink has read, so its rows were not compared. To let it go on, run: graphloom pipeline adopt",
        ],
      };
    const unproved: string[] = [];
    for (const [number, { build }] of known.parts)
      if (!parts.some(({ deployment }) => deployment === number))
        unproved.push(`Rows of build ${build}, which is not read any more, were not compared.`);
    for (const part of parts) {
      const place = known.parts.get(part.deployment);
      // A subgraph that was added to the source starts with the next run.
      if (place) unproved.push(...(await this.#readPart(part, place, known.reading, take)));
    }
    return { isWhole: unproved.length === 0, unproved };
  }

  /**
   * What a position stands for.
   * @throws SourceError
   */
  protected async known(position: number): Promise<Pick<KnownPlace, "reading" | "parts"> | undefined> {
    const { database, owner } = this.#options;
    return new Readings(database, owner).find(position).catch((error: unknown) => {
      throw subgraphsUnread(error);
    });
  }

  /** @returns what is unknown about the part */
  async #readPart(
    part: EntityPart,
    place: PartPlace,
    reading: string,
    take: (part: Delta) => Promise<void>,
  ): Promise<readonly string[]> {
    let refusal: unknown;
    const told = async (taken: TakenPart): Promise<void> => {
      await take(this.#delta(part, place, taken)).catch((error: unknown) => {
        refusal = error;
        throw error;
      });
    };
    try {
      const { pruned } = await followerOf(part, reading, this.#options).taken(place, told);
      return [
        ...(place.since === undefined
          ? []
          : [`Rows of ${part.label} that were there before the sink began were not compared.`]),
        ...(pruned === undefined
          ? []
          : [
              `The history of ${part.label} was pruned: versions that ended up to block ${pruned} were not compared.`,
            ]),
      ];
    } catch (error) {
      if (error === refusal) throw error;
      if (error instanceof FeedCut) return [`Rows of ${part.label} were not compared. ${error.message}`];
      throw subgraphsUnread(error);
    }
  }

  #delta(
    { network, table: { immutable } }: EntityPart,
    { after, since }: PartPlace,
    taken: TakenPart,
  ): Delta {
    const { columns, withHistory } = this.#options;
    if (taken.kind === "versions")
      return { minus: noRows(columns.length), plus: versionRows(columns, network, taken.versions) };
    const { minus, plus } = versionDelta(taken.changes, { withHistory, immutable, after, since });
    return { minus: versionRows(columns, network, plus), plus: versionRows(columns, network, minus) };
  }
}
