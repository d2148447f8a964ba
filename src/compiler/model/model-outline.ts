/** What commands say and decide about a model, without what its files were printed from. Every model is one. */
export interface ModelOutline {
  /** Without version: what was said, else what the configuration says, else the name of its file where that is one. */
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

/** The outline of a model, and nothing else of it. */
export function outlineOf({ name, version, entities, modules, chains }: ModelOutline): ModelOutline {
  const named = (all: readonly Named[]) => all.map((one) => ({ name: one.name }));
  return {
    name,
    version,
    entities: named(entities),
    modules: modules.map(({ handlers }) => ({ handlers: named(handlers) })),
    chains: chains.map(({ chain, dataSources, templates }) => ({
      chain,
      dataSources: named(dataSources),
      templates: named(templates),
    })),
  };
}
