/** The purpose of requests to the nodes. */
export type AskerKind = "indexing" | "pipelines" | "datasets" | "data" | "edge";

/** The caller of the nodes. Kinds take turns by weight, then projects, then the callers of a project. */
export interface Asker {
  readonly kind: AskerKind;
  /** A deployment of several projects counts for one of them. */
  readonly project: string;
  readonly name: string;
  /**
   * Maximum age in milliseconds of a cached answer. Needed if clients cannot reject an answer, so that they do not
   * keep a wrong one.
   */
  readonly longestKept?: number;
}

/** A kind's share of the common resources. */
export interface KindShare {
  /** Its share of requests while all kinds wait, relative to the other weights. */
  readonly weight: number;
  /** The maximum number of concurrent exchanges. Kinds cannot take each other's places. */
  readonly places: number;
  /** Bytes of cached answers. All kinds read them, but no kind evicts another's. */
  readonly cacheBytes: number;
}

const megabyte = 1_048_576;

/**
 * Indexing comes first, because all queries depend on it. Dataset files read blocks once, so few of their answers are
 * cached. The data service stores its balances itself. Edge clients are many and may ask for anything, so they get
 * what the others leave.
 */
export const kindShares: Readonly<Record<AskerKind, KindShare>> = {
  indexing: { weight: 8, places: 8, cacheBytes: 64 * megabyte },
  pipelines: { weight: 3, places: 4, cacheBytes: 16 * megabyte },
  datasets: { weight: 2, places: 2, cacheBytes: 4 * megabyte },
  data: { weight: 2, places: 4, cacheBytes: 4 * megabyte },
  edge: { weight: 1, places: 16, cacheBytes: 16 * megabyte },
};
