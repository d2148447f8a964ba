import { groupBy } from "../../../base/group-by.js";
import type { Entity } from "../../../subgraph/schema/entity.js";
import { type BlockPointer, ReorgError } from "../../chain/chain.js";
import type { ActiveSource } from "../active-source.js";
import type { SourceEntities } from "./source-subgraph.js";

/** An entity that another subgraph wrote, for the data source that listens to it. */
export interface WrittenEntity {
  readonly source: ActiveSource;
  readonly type: string;
  readonly entity: Entity;
}

/** What one source wrote. */
export interface SourcePart extends SourceEntities {
  readonly source: ActiveSource;
}

/** The entities that the sources of a composed subgraph wrote in a range of blocks. */
export class EntityWindow {
  /** The last block whose entities are all here. */
  readonly to: number;
  readonly size: number;
  readonly #byBlock: ReadonlyMap<number, readonly (WrittenEntity & { readonly block: number })[]>;
  readonly #parts: readonly SourcePart[];

  /** @param parts in the order of the data sources; each ends at `to` or later */
  constructor(to: number, parts: readonly SourcePart[]) {
    const all = parts.flatMap(({ source, entities }) =>
      entities.flatMap((one) => (one.block <= to ? [{ ...one, source }] : [])),
    );
    this.to = to;
    this.size = all.length;
    this.#byBlock = groupBy(all, ({ block }) => block);
    this.#parts = parts;
  }

  /** The blocks with entities. */
  get blocks(): readonly number[] {
    return [...this.#byBlock.keys()];
  }

  /**
   * The entities of a block, by data source and then in the order in which they were written.
   * @throws ReorgError when a source had another block with this number
   */
  of({ number, hash }: BlockPointer): readonly WrittenEntity[] {
    for (const { source, hashes } of this.#parts) {
      const own = hashes.get(number);
      if (own === undefined || own === hash) continue;
      throw new ReorgError(
        `the source of ${source.template.name} has another block ${number} than the chain`,
      );
    }
    return this.#byBlock.get(number) ?? [];
  }
}
