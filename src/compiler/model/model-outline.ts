import { manifestSignature, plainSignature } from "../abi/abi.js";
import type { Handler } from "./handler.js";
import type { SourceModel, SubgraphModel } from "./subgraph.js";

/** The part of a model that commands need, without its printed parts: plain data. */
export interface ModelOutline {
  /**
   * Without version: from the options, else from the configuration, else from the file's name if that is
   * valid.
   */
  readonly name: string | undefined;
  readonly version: string | undefined;
  readonly entities: readonly Named[];
  readonly modules: readonly { readonly handlers: readonly HandlerOutline[] }[];
  readonly chains: readonly ChainOutline[];
}

/** A handler's trigger and what the handler stores. */
export interface HandlerOutline extends Named {
  readonly trigger: "event" | "call";
  /** As in a manifest: `Transfer(indexed address,indexed address,uint256)`. */
  readonly signature: string;
  /** The entity types that the handler stores, its trigger's first. */
  readonly entities: readonly string[];
  /** The templates whose contracts the handler creates. */
  readonly creates: readonly string[];
}

/** A chain, with the data sources and templates indexed on it. */
export interface ChainOutline {
  readonly chain: string;
  readonly dataSources: readonly DataSourceOutline[];
  readonly templates: readonly SourceOutline[];
}

/** A data source or a template, with the names of its handlers. */
export interface SourceOutline extends Named {
  readonly handlers: readonly string[];
}

export interface DataSourceOutline extends SourceOutline {
  readonly address: string;
  readonly startBlock: number;
}

interface Named {
  readonly name: string;
}

/** Extracts the outline of a model. */
export function outlineOf({
  name,
  version,
  entities,
  modules,
  mapping,
  chains,
}: SubgraphModel): ModelOutline {
  return {
    name,
    version,
    entities: entities.map((entity) => ({ name: entity.name })),
    modules: modules.map(({ handlers }) => ({
      handlers: handlers.map((handler) => outlineOfHandler(handler, mapping?.types ?? [])),
    })),
    chains: chains.map(({ chain, dataSources, templates }) => ({
      chain,
      dataSources: dataSources.map((source) => ({
        ...outlineOfSource(source),
        address: source.address,
        startBlock: source.startBlock,
      })),
      templates: templates.map(outlineOfSource),
    })),
  };
}

function outlineOfSource({ name, handlers }: SourceModel): SourceOutline {
  return { name, handlers: handlers.map((handler) => handler.name) };
}

/** @param ownTypes the entity types that functions of the user's own may store */
function outlineOfHandler(
  { name, trigger, entity, enrichment, own, creates }: Handler,
  ownTypes: readonly string[],
): HandlerOutline {
  const enriched = enrichment?.entities.map(({ type }) => type) ?? [];
  return {
    name,
    trigger: trigger.kind,
    signature:
      trigger.kind === "event"
        ? manifestSignature(trigger.bound.event.standsFor?.event ?? trigger.bound.event)
        : plainSignature(trigger.bound.fn),
    entities: [...new Set([entity, ...enriched, ...(own ? ownTypes : [])])],
    creates: creates.map(({ template }) => template),
  };
}
