import type { Chain } from "../../chain/chain.js";
import { DeterministicError } from "../../errors.js";
import type { ActiveSource } from "../active-source.js";
import type { ActiveSources } from "../active-sources.js";
import { commonAncestor } from "../common-ancestor.js";
import { EntityWindow, type SourcePart } from "./entity-window.js";
import type { SourceSubgraph } from "./source-subgraph.js";

/** A source, and the data source that listens to it. */
interface Composed {
  readonly source: ActiveSource;
  readonly subgraph: SourceSubgraph;
  readonly types: readonly string[];
}

/** The other subgraphs that a composed subgraph listens to. */
export class Composition {
  readonly #all: readonly Composed[];

  private constructor(all: readonly Composed[]) {
    this.#all = all;
  }

  /**
   * @returns `undefined` for a subgraph that listens to the chain
   * @throws DeterministicError for one that listens to others, if they cannot be opened
   */
  static of(
    { all }: Pick<ActiveSources, "all">,
    open: ((deployment: string) => SourceSubgraph) | undefined,
  ): Composition | undefined {
    const composed = all.flatMap((source): Composed[] => {
      const { subgraph } = source.template;
      if (!subgraph) return [];
      if (!open) {
        throw new DeterministicError(
          `${source.template.name} listens to the subgraph ${subgraph.deployment}, which this run cannot read`,
        );
      }
      const types = [...source.code.entities.keys()];
      return [{ source, subgraph: open(subgraph.deployment), types }];
    });
    return composed.length > 0 ? new Composition(composed) : undefined;
  }

  /**
   * The last block that every source has written and that is still on the chain; -1 if there is none. graph-node leaves
   * out a source without any block, and then never handles the entities of its first blocks.
   * @throws ChainError, ReorgError
   */
  async reach(chain: Pick<Chain, "block">): Promise<number> {
    let reach = Number.POSITIVE_INFINITY;
    for (const { subgraph } of this.#all) {
      const { kept } = await commonAncestor(chain, subgraph);
      reach = Math.min(reach, kept?.number ?? -1);
    }
    return reach;
  }

  /** Reads the entities of a range of blocks, both ends inclusive, or of its beginning. @throws ReorgError */
  async fetch(from: number, to: number): Promise<EntityWindow> {
    const parts: SourcePart[] = [];
    let end = to;
    for (const { source, subgraph, types } of this.#all) {
      const read = await subgraph.read(from, end, types);
      end = read.to;
      parts.push({ source, ...read });
    }
    return new EntityWindow(end, parts);
  }
}
