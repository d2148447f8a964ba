/** The purpose of requests to the nodes. */
export type AskerKind = "indexing" | "pipelines" | "datasets" | "data" | "edge";

/** The caller of the nodes. Kinds take turns by weight, then projects, then the callers of a project. */
export interface Asker {
  readonly kind: AskerKind;
  /** The project. A deployment of several projects counts for one of them. */
  readonly project: string;
  readonly name: string;
  /**
   * The maximum age in milliseconds of a cached answer. Needed where clients cannot reject an answer, so that a wrong
   * one does not stay with them.
   */
  readonly longestKept?: number;
}

/** The share of a kind of askers in the common resources. */
export interface KindShare {
  /** Its part of the requests while all kinds wait, beside the weights of the others. */
  readonly weight: number;
  /** The maximum number of concurrent exchanges. No kind can take the places of another. */
  readonly places: number;
  /** Bytes of cached answers. All kinds read them, but no kind displaces those of another. */
  readonly cacheBytes: number;
}

const megabyte = 1_048_576;

/**
 * Indexing comes first, because all queries depend on it. Files of datasets are read once, so hardly any answers are
 * kept for them. The data service keeps its balances itself. Edge clients are many and cannot be trusted to ask little,
 * so they get what the others leave.
 */
export const kindShares: Readonly<Record<AskerKind, KindShare>> = {
  indexing: { weight: 8, places: 8, cacheBytes: 64 * megabyte },
  pipelines: { weight: 3, places: 4, cacheBytes: 16 * megabyte },
  datasets: { weight: 2, places: 2, cacheBytes: 4 * megabyte },
  data: { weight: 2, places: 4, cacheBytes: 4 * megabyte },
  edge: { weight: 1, places: 16, cacheBytes: 16 * megabyte },
};
