import { dataOf, type Extension, listOf, objectOf, type Schema, textSchema } from "./extension.js";

/** The operations that take a deployment back to a block. Only graphloom's server has them. */
export type RewindOperationId = "planSubgraphRewind" | "rewindSubgraph";

/** A change of a table. */
export interface RewoundTable {
  readonly name: string;
  /** Versions of entities that are deleted. */
  readonly removed: number;
  /** Earlier versions that are current again. */
  readonly restored: number;
}

/** What taking a deployment back to a block does. */
export interface RewindInfo {
  readonly deployment_id: string;
  /** The last block before. */
  readonly from_block: number;
  readonly to_block: number;
  readonly to_hash: string;
  /** Null if counting takes too long. */
  readonly tables: readonly RewoundTable[] | null;
  /** What happens to entities, queries, webhooks and pipelines: sentences. */
  readonly effects: readonly string[];
}

/** The block to go back to. */
export interface SentRewind {
  readonly block: number;
  /** Its hash, to be compared. */
  readonly hash?: string | undefined;
}

const count: Schema = { type: "integer", minimum: 0 };
const asked = {
  block: {
    type: "integer",
    minimum: 0,
    maximum: 2_147_483_647,
    description: "The block that is the last one then.",
  },
  hash: { type: "string", pattern: "^0x[0-9a-f]{64}$", description: "Its hash, to be compared." },
} as const;
const path = "/subgraphs/{name}/{version}/rewind";

/** The operations, as they also appear in the server's description. */
export const rewindOperations: Readonly<Record<RewindOperationId, Extension>> = {
  planSubgraphRewind: {
    method: "GET",
    path,
    summary:
      "Says what it would do to take a version back to a block: to entities, queries, webhooks and pipelines.",
    query: asked,
    required: ["block"],
    answer: dataOf(
      objectOf({
        deployment_id: textSchema(),
        from_block: { ...count, description: "Its last block." },
        to_block: count,
        to_hash: textSchema(),
        tables: {
          oneOf: [
            listOf(
              objectOf({
                name: textSchema(),
                removed: { ...count, description: "Versions of entities that are deleted." },
                restored: { ...count, description: "Earlier versions that are current again." },
              }),
            ),
            { type: "null" },
          ],
          description: "Null if counting takes too long.",
        },
        effects: { ...listOf(textSchema()), description: "Sentences for people." },
      }),
    ),
  },
  rewindSubgraph: {
    method: "POST",
    path,
    summary:
      "Takes a version back to a block, as a reorganisation of the chain does, and indexes what follows again.",
    body: objectOf({ block: asked.block, "hash?": asked.hash }),
    answer: dataOf(objectOf({ from_block: count, to_block: count })),
  },
};
