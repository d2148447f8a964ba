/** What commands say and decide about a model, without what its files were printed from. Every model is one. */
export interface ModelOutline {
  /** Without version; absent when the configuration has none. */
  readonly name: string | undefined;
  readonly version: string | undefined;
  readonly entities: readonly Named[];
  readonly modules: readonly { readonly handlers: readonly Named[] }[];
  readonly chains: readonly ChainOutline[];
}

/** A chain and what is indexed on it. */
export interface ChainOutline {
  readonly chain: string;
  readonly dataSources: readonly Named[];
  readonly templates: readonly Named[];
}

interface Named {
  readonly name: string;
}
