import type { SchemaChange, SchemaChangeKind } from "../../subgraph/changes/schema-change.js";

const words: Readonly<Record<SchemaChangeKind, (change: SchemaChange) => string>> = {
  "type-added": ({ name }) => `${name} is new`,
  "type-removed": ({ name }) => `${name} was removed`,
  "type-renamed": renamed,
  "type-kind": ({ name, from, to }) => `${name} changed its kind from ${from} to ${to}`,
  "field-added": ({ name }) => `${name} is new`,
  "field-removed": ({ name }) => `${name} was removed`,
  "field-renamed": renamed,
  "field-type": ({ name, from, to }) => `${name} changed its type from ${from} to ${to}`,
  "field-derived": ({ name }) => `${name} is now derived and cannot be filtered directly`,
  "field-stored": ({ name }) => `${name} was derived and is now stored`,
  "interface-added": ({ name }) => `${implementing(name, "now implements")}`,
  "interface-removed": ({ name }) => `${implementing(name, "no longer implements")}`,
  immutable: ({ name }) => `${name} is now immutable`,
  mutable: ({ name }) => `${name} is no longer immutable`,
  "enum-added": ({ name }) => `the enum ${name} is new`,
  "enum-removed": ({ name }) => `the enum ${name} was removed`,
  "enum-value-added": ({ name }) => `the value ${name} is new`,
  "enum-value-removed": ({ name }) => `the value ${name} was removed`,
  "search-added": ({ name }) => `the search ${name} is new`,
  "search-removed": ({ name }) => `the search ${name} was removed`,
  "subgraph-added": ({ name }) => `the subgraph ${name} is new`,
  "subgraph-removed": ({ name }) => `the subgraph ${name} is no longer deployed: its address stops answering`,
  "subgraph-renamed": ({ name, from }) =>
    `the subgraph ${from} is now deployed as ${name}: its address changes`,
};

/** Describes a change in a few words, without a final period. */
export function changeWords(change: SchemaChange): string {
  return words[change.kind](change);
}

function renamed({ name, from, isCertain }: SchemaChange): string {
  const [type = "", field] = name.split(".");
  const before = field === undefined ? from : `${type}.${from}`;
  if (isCertain) return `${before} was renamed to ${name}`;
  return `renamed? ${before} to ${name}, which looks the same; otherwise one was removed and the other added`;
}

/** @param name the type and its interface: `Token.Named` */
function implementing(name: string, verb: string): string {
  const [type, one] = name.split(".");
  return `${type} ${verb} ${one}`;
}
