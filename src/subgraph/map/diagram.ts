import { groupBy } from "../../base/group-by.js";
import { condenseMap } from "./condense-map.js";
import type { MapContract, MapTrigger, SubgraphMap } from "./subgraph-map.js";

/**
 * The boxes and lines of a map. The drawing, its description in words and its Mermaid text are all made from
 * it. Every box has a key, unique in its diagram, which names it in lines and in the drawing's attributes:
 * `contract NAME`, `handlers CONTRACT` for the panel of a group, `handler CONTRACT TRIGGER`, `entity NAME`.
 * CONTRACT is the first contract of the group. A repeated key gets a number: `contract Pool #2`.
 */
export interface Diagram {
  readonly title: string;
  /** In drawing order. */
  readonly groups: readonly DiagramGroup[];
  /** In schema order. */
  readonly entities: readonly EntityBox[];
  readonly edges: readonly DiagramEdge[];
}

/** Contracts, and the handlers that they share. */
export interface DiagramGroup {
  /** Key of the panel around the handlers. */
  readonly key: string;
  readonly contracts: readonly ContractBox[];
  readonly handlers: readonly HandlerBox[];
}

export interface ContractBox extends MapContract {
  readonly key: string;
}

export interface HandlerBox extends Pick<MapTrigger, "kind" | "text"> {
  readonly key: string;
}

export interface EntityBox {
  readonly key: string;
  readonly name: string;
}

/** A line from one box to another, both given by their keys. */
export interface DiagramEdge {
  /**
   * A contract triggers handlers, a handler or a whole panel stores an entity, and a handler creates the
   * contracts of a template.
   */
  readonly kind: "triggers" | "stores" | "creates";
  readonly from: string;
  readonly to: string;
}

/** Key of the box of a data source or template. */
export function contractKey(name: string): string {
  return `contract ${name}`;
}

/** Key of the panel with the handlers of a group. @param contract its first contract */
export function handlersKey(contract: string): string {
  return `handlers ${contract}`;
}

/** Key of the box of a handler. @param contract the first of its group @param trigger as in a manifest */
export function handlerKey(contract: string, trigger: string): string {
  return `handler ${contract} ${trigger}`;
}

/** Key of the box of an entity type. */
export function entityKey(name: string): string {
  return `entity ${name}`;
}

/** The boxes and lines of a map. Many contracts with the same triggers share a box. */
export function diagramOf(map: SubgraphMap): Diagram {
  const { title, groups, entities } = condenseMap(map);
  const unique = createUniqueKeys();
  const keyed = groups.map((group) => {
    const first = group.contracts[0]?.name ?? "";
    return {
      key: unique(handlersKey(first)),
      contracts: group.contracts.map((one) => ({ ...one, key: unique(contractKey(one.name)) })),
      handlers: group.triggers.map((one) => ({ ...one, key: unique(handlerKey(first, one.text)) })),
      stored: group.entities,
    };
  });
  const boxes = entities.map((name) => ({ name, key: unique(entityKey(name)) }));
  const entityKeys = new Map(boxes.map(({ name, key }) => [name, key]));
  // Templates on several chains may share a name.
  const templates = groupBy(
    keyed.flatMap(({ contracts }) => contracts.filter(({ isTemplate }) => isTemplate)),
    ({ name }) => name,
  );
  const stores = (from: string, names: readonly string[]): readonly DiagramEdge[] =>
    names.flatMap((name) => {
      const to = entityKeys.get(name);
      return to === undefined ? [] : [{ kind: "stores", from, to }];
    });
  const creates = (from: string, names: readonly string[]): readonly DiagramEdge[] =>
    names.flatMap((name) => templates.get(name) ?? []).map(({ key }) => ({ kind: "creates", from, to: key }));
  return {
    title,
    groups: keyed.map(({ key, contracts, handlers }) => ({ key, contracts, handlers })),
    entities: boxes,
    edges: keyed.flatMap(({ key, contracts, handlers, stored }) => [
      // A group without handlers has no panel.
      ...(handlers.length === 0
        ? contracts.flatMap((one) => stores(one.key, stored))
        : contracts.map((one) => ({ kind: "triggers" as const, from: one.key, to: key }))),
      ...(handlers.length === 0 ? [] : stores(key, stored)),
      ...handlers.flatMap((one) => stores(one.key, one.entities)),
      ...handlers.flatMap((one) => creates(one.key, one.creates)),
    ]),
  };
}

/** Makes keys unique by numbering those that were given before. */
function createUniqueKeys(): (key: string) => string {
  const counts = new Map<string, number>();
  return (key) => {
    let unique = key;
    let count = counts.get(key) ?? 0;
    do {
      count += 1;
      unique = count === 1 ? key : `${key} #${count}`;
    } while (count > 1 && counts.has(unique));
    counts.set(key, count);
    if (unique !== key) counts.set(unique, 1);
    return unique;
  };
}
