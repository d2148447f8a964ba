import { manifestSignature, plainSignature } from "../abi/abi.js";
import type { Location } from "../source/source.js";
import type { EntityField } from "./entity-model.js";
import type { Handler } from "./handler.js";
import type { SourceModel, SubgraphModel } from "./subgraph.js";

/** The part of a model that commands need, without the parts for printing, as plain data. */
export interface ModelOutline {
  /** Without version: from the options, else the configuration, else the file's name if valid. */
  readonly name: string | undefined;
  readonly version: string | undefined;
  readonly entities: readonly EntityOutline[];
  readonly modules: readonly { readonly handlers: readonly HandlerOutline[] }[];
  readonly chains: readonly ChainOutline[];
}

/** An entity type and its fields, in schema order. */
export interface EntityOutline extends Named {
  readonly fields: readonly FieldOutline[];
}

/** A field of an entity type. */
export interface FieldOutline extends Named {
  /** As in a schema: `[Token!]!`. */
  readonly type: string;
  /** The entity type that it references, if any. */
  readonly references?: string;
  readonly isDerived: boolean;
}

/** A handler's trigger and what the handler stores. */
export interface HandlerOutline extends Named {
  readonly trigger: "event" | "call";
  /** As in a manifest: `Transfer(indexed address,indexed address,uint256)`. */
  readonly signature: string;
  /** The names of the trigger's parameters, as in the ABI; empty if it has none. */
  readonly parameters: readonly string[];
  /** The functions of contracts that the handler calls, once each: `ERC20.balanceOf`. */
  readonly calls: readonly string[];
  /** The entity types that the handler stores, its trigger's first. */
  readonly entities: readonly string[];
  /** The templates from which the handler creates contracts. */
  readonly creates: readonly string[];
  /** Where the configuration names the user's own function that the handler calls, if any. */
  readonly own?: Location;
}

/** A chain, with the data sources and templates indexed on it. */
export interface ChainOutline {
  readonly chain: string;
  readonly dataSources: readonly DataSourceOutline[];
  readonly templates: readonly SourceOutline[];
}

/** A data source or a template, with the names of its ABI and its handlers. */
export interface SourceOutline extends Named {
  readonly abi: string;
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
    entities: entities.map((entity) => ({ name: entity.name, fields: entity.fields.map(outlineOfField) })),
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

function outlineOfField({ name, of, list, nonNull, derivedFrom }: EntityField): FieldOutline {
  const isDerived = derivedFrom !== undefined;
  const type = `${list ? `[${of.name}!]` : of.name}${nonNull ? "!" : ""}`;
  return of.kind === "entity" ? { name, type, isDerived, references: of.name } : { name, type, isDerived };
}

function outlineOfSource({ name, abi, handlers }: SourceModel): SourceOutline {
  return { name, abi: abi.className, handlers: handlers.map((handler) => handler.name) };
}

/** @param ownTypes the entity types that the user's own functions may store */
function outlineOfHandler(
  { name, trigger, entity, enrichment, own, creates }: Handler,
  ownTypes: readonly string[],
): HandlerOutline {
  const enriched = enrichment?.entities.map(({ type }) => type) ?? [];
  const calls = enrichment?.calls.map(({ contract, method }) => `${contract}.${method.fn.name}`) ?? [];
  const entry =
    trigger.kind === "event"
      ? (trigger.bound.event.standsFor?.event ?? trigger.bound.event)
      : trigger.bound.fn;
  return {
    name,
    trigger: trigger.kind,
    signature: entry.kind === "event" ? manifestSignature(entry) : plainSignature(entry),
    parameters: entry.inputs.map((input) => input.name),
    calls: [...new Set(calls)],
    entities: [...new Set([entity, ...enriched, ...(own ? ownTypes : [])])],
    creates: creates.map(({ template }) => template),
    ...(own && { own: own.at }),
  };
}
