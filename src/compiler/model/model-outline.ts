/** The part of a model that commands need, without its printed parts. Every model is an outline. */
export interface ModelOutline {
  /**
   * Without version: from the options, else from the configuration, else from the file's name if that is
   * valid.
   */
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

/** Extracts the outline of a model. */
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
