import type { Entity } from "../../subgraph/schema/entity.js";

/** What a proof of indexing contains of a block, in the order in which it happened. */
export type PoiEvent =
  /** `store.set`. `data` is what the mapping has passed, with the id, and not the entity as it is stored then. */
  | { readonly kind: "set"; readonly type: string; readonly id: string; readonly data: Entity }
  /** `store.remove`. The id is what the mapping has passed. */
  | { readonly kind: "remove"; readonly type: string; readonly id: string }
  /** A handler has failed. `events` is the number of events since its trigger began. */
  | { readonly kind: "error"; readonly events: number };

/** How proofs are hashed: `legacy` below specVersion 0.0.6. */
export type PoiVariant = "fast" | "legacy";
