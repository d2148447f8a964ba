import { groupBy } from "../../base/group-by.js";
import type { MapContract, MapField, MapPart, MapTrigger, SubgraphMap } from "./subgraph-map.js";

/** Maximum length of a signature to parse, since signatures are untrusted. Longer ones stay unchanged. */
const longest = 4_000;

/** A signature without types, with the names of its parameters where known. */
interface ShownSignature {
  /** `Transfer(from, to, value)`; a parameter without a name shows its type. */
  readonly short: string;
  /** `Transfer(address indexed from, address indexed to, uint256 value)` */
  readonly full: string;
}

/** Maximum number of contracts of one ABI in a group that get separate boxes. */
const mostOfAbi = 3;

/** Maximum number of boxes for contracts in a group. */
const mostBoxes = 6;

/** Contracts that share a box: one, or several with the same handlers. */
interface ContractFold {
  /** The contract's name, `Token ×40` for contracts of one ABI, else `40 contracts`. */
  readonly name: string;
  readonly contracts: readonly MapContract[];
}

/**
 * The boxes and lines of a map. The drawing, its description and its Mermaid text derive from it. Every box has a
 * unique key, which lines and the drawing's attributes refer to: `contract NAME`, `handlers CONTRACT` for the panel
 * of a group, `handler CONTRACT TRIGGER`, `entity NAME`. CONTRACT is the first contract of the group. A repeated key
 * gets a number: `contract Pool #2`.
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
  /** Which part of the handlers this is, if they do not fit into one group. */
  readonly part?: MapPart | undefined;
}

/** The box of a contract, or of several folded contracts. */
export interface ContractBox {
  readonly key: string;
  /** `UniswapV3Factory`, or `Token ×40`. */
  readonly name: string;
  /** Network, address and first block, or the names of folded contracts, one line each. */
  readonly details: readonly string[];
  /** The folded contracts, one line each; empty for a single contract. */
  readonly folded: readonly string[];
  /** At least one. */
  readonly names: readonly string[];
  readonly isTemplate: boolean;
}

export interface HandlerBox extends Pick<MapTrigger, "kind" | "text" | "calls"> {
  readonly key: string;
  readonly signature: ShownSignature;
}

export interface EntityBox {
  readonly key: string;
  readonly name: string;
  readonly fields: readonly MapField[];
}

/** A line from one box to another, both given by their keys. */
export interface DiagramEdge {
  /**
   * A contract triggers handlers, a handler or a whole panel stores an entity, a handler creates the contracts
   * of a template, and an entity refers to another one.
   */
  readonly kind: "triggers" | "stores" | "creates" | "refers";
  readonly from: string;
  readonly to: string;
  /** The index of the field that refers. */
  readonly field?: number;
}

/** Key of the box of a data source or template. */
function contractKey(name: string): string {
  return `contract ${name}`;
}

/** Key of the panel with the handlers of a group. @param contract its first contract */
function handlersKey(contract: string): string {
  return `handlers ${contract}`;
}

/** Key of the box of a handler. @param contract the first of its group @param trigger as in a manifest */
function handlerKey(contract: string, trigger: string): string {
  return `handler ${contract} ${trigger}`;
}

/** Key of the box of an entity type. */
function entityKey(name: string): string {
  return `entity ${name}`;
}

/** The boxes and lines of a map. Many contracts of one ABI share a box. */
export function diagramOf({ title, groups, entities, fields }: SubgraphMap): Diagram {
  const unique = createUniqueKeys();
  const keyed = groups.map((group) => {
    const first = group.contracts[0]?.name ?? "";
    return {
      key: unique(handlersKey(first)),
      contracts: foldContracts(group.contracts).map((fold) => contractBox(fold, group.part, unique)),
      handlers: group.triggers.map((trigger) => ({
        trigger,
        box: handlerBox(trigger, unique(handlerKey(first, trigger.text))),
      })),
      stored: group.entities,
      part: group.part,
    };
  });
  const boxes = entities.map((name) => ({
    name,
    key: unique(entityKey(name)),
    fields: fields?.get(name) ?? [],
  }));
  const entityKeys = new Map(boxes.map(({ name, key }) => [name, key]));
  // Templates on several chains may share a name.
  const templates = groupBy(
    keyed.filter(isFirstPart).flatMap(({ contracts }) => contracts.filter(({ isTemplate }) => isTemplate)),
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
    groups: keyed.map(({ key, contracts, handlers, part }) => ({
      key,
      contracts,
      part,
      handlers: handlers.map(({ box }) => box),
    })),
    entities: boxes,
    edges: [
      ...keyed.flatMap(({ key, contracts, handlers, stored }) => [
        // A group without handlers has no panel.
        ...(handlers.length === 0
          ? contracts.flatMap((one) => stores(one.key, stored))
          : contracts.map((one) => ({ kind: "triggers" as const, from: one.key, to: key }))),
        ...(handlers.length === 0 ? [] : stores(key, stored)),
        ...handlers.flatMap(({ box, trigger }) => stores(box.key, trigger.entities)),
        ...handlers.flatMap(({ box, trigger }) => creates(box.key, trigger.creates)),
      ]),
      ...boxes.flatMap((box) => references(box, entityKeys)),
    ],
  };
}

/** Whether a group is the only one with its contracts, or the first one. */
export function isFirstPart({ part }: Pick<DiagramGroup, "part">): boolean {
  return part === undefined || part.number === 1;
}

function handlerBox({ kind, text, parameters, calls }: MapTrigger, key: string): HandlerBox {
  return { key, kind, text, calls, signature: showSignature(text, parameters) };
}

/** Maximum numbers of names shown on a folded box, and of contracts listed with it. */
const mostNames = 4;
const mostFolded = 40;

function contractBox(
  { name, contracts }: ContractFold,
  part: MapPart | undefined,
  unique: (key: string) => string,
): ContractBox {
  const [first] = contracts;
  const key = unique(contractKey(first?.name ?? name));
  const isTemplate = first?.isTemplate === true;
  const names = contracts.map((one) => one.name);
  const partText = part ? [`part ${part.number} of ${part.of}`] : [];
  if (first && contracts.length === 1)
    return { key, name, details: [...detailsOf(first), ...partText], folded: [], names, isTemplate };
  const count = names.length;
  const networks = [...new Set(contracts.map(({ network }) => network))].filter((one) => one !== "");
  return {
    key,
    name,
    names,
    isTemplate,
    details: [
      ...(networks.length > 0 ? [networks.join(", ")] : []),
      ...names.slice(0, mostNames),
      ...(count > mostNames ? [`and ${count - mostNames} more`] : []),
      ...partText,
    ],
    folded: [
      ...contracts.slice(0, mostFolded).map((one) => [one.name, ...detailsOf(one)].join("  ")),
      ...(count > mostFolded ? [`and ${count - mostFolded} more`] : []),
    ],
  };
}

function detailsOf({ network, address, startBlock }: MapContract): readonly string[] {
  const block = startBlock === undefined ? "" : `from block ${startBlock}`;
  return [network, address, block].filter((line) => line !== "");
}

/** The lines from the fields of an entity to their targets. Derived fields are the same lines in reverse. */
function references(
  { key, fields }: EntityBox,
  entityKeys: ReadonlyMap<string, string>,
): readonly DiagramEdge[] {
  return fields.flatMap(({ references: name, isDerived }, field) => {
    const to = name === undefined || isDerived ? undefined : entityKeys.get(name);
    return to === undefined ? [] : [{ kind: "refers", from: key, to, field }];
  });
}

/** Makes keys unique by numbering repeated ones. */
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

/**
 * Folds the contracts of a group, all with the same handlers, to keep the number of boxes low: contracts of one ABI
 * share a box if there are many, and all contracts share one if there are many ABIs. Templates keep their own boxes.
 */
function foldContracts(contracts: readonly MapContract[]): readonly ContractFold[] {
  const placed = contracts.filter(({ isTemplate }) => !isTemplate);
  const templates = contracts.filter(({ isTemplate }) => isTemplate).map(alone);
  const folds = [...groupBy(placed, ({ abi }) => abi)].flatMap(([abi, all]) => {
    if (all.length <= mostOfAbi || abi === "") return all.map(alone);
    return [{ name: `${abi} ×${all.length}`, contracts: all }];
  });
  if (folds.length <= mostBoxes) return [...folds, ...templates];
  return [{ name: `${placed.length} contracts`, contracts: placed }, ...templates];
}

function alone(contract: MapContract): ContractFold {
  return { name: contract.name, contracts: [contract] };
}

/**
 * Rewrites a signature for people.
 * @param text as in a manifest: `Transfer(indexed address,indexed address,uint256)`; other texts stay unchanged
 * @param names the parameters' names, empty where there is none
 */
function showSignature(text: string, names: readonly string[]): ShownSignature {
  const [, name = "", list = ""] = text.length > longest ? [] : (/^([^()]+)\((.*)\)$/s.exec(text) ?? []);
  const types = list === "" ? [] : splitTypes(list);
  if (name === "" || !types) return { short: text, full: text };
  const parameters = types.map((type, index) => {
    const isIndexed = type.startsWith("indexed ");
    return { type: isIndexed ? type.slice("indexed ".length) : type, isIndexed, name: names[index] ?? "" };
  });
  const short = parameters.map((one) => one.name || one.type);
  const full = parameters.map((one) =>
    [one.type, ...(one.isIndexed ? ["indexed"] : []), one.name].filter((part) => part !== "").join(" "),
  );
  return { short: `${name}(${short.join(", ")})`, full: `${name}(${full.join(", ")})` };
}

/** Splits a list of types at commas outside parentheses; `undefined` if parentheses do not match. */
function splitTypes(list: string): readonly string[] | undefined {
  const types = [""];
  let depth = 0;
  for (const character of list) {
    if (character === "(") depth += 1;
    if (character === ")") depth -= 1;
    if (depth < 0) return undefined;
    if (character === "," && depth === 0) types.push("");
    else types[types.length - 1] += character;
  }
  return depth === 0 ? types : undefined;
}
