import type { SchemaChange, SchemaChangeKind } from "../../subgraph/changes/schema-change.js";

const words: Readonly<Record<SchemaChangeKind, (change: SchemaChange) => string>> = {
  "type-added": ({ name }) => `${name} is new`,
  "type-removed": ({ name }) => `${name} was removed`,
  "type-renamed": renamed,
  "type-kind": ({ name, from, to }) => `${name} is of kind ${to}, before ${from}`,
  "field-added": ({ name }) => `${name} is new`,
  "field-removed": ({ name }) => `${name} was removed`,
  "field-renamed": renamed,
  "field-type": ({ name, from, to }) => `${name} is ${to}, before ${from}`,
  "field-derived": ({ name }) => `${name} is derived now, and cannot be filtered by itself`,
  "field-stored": ({ name }) => `${name} was derived and is stored now`,
  "interface-added": ({ name }) => `${pair(name)} is implemented`,
  "interface-removed": ({ name }) => `${pair(name)} is not implemented any more`,
  immutable: ({ name }) => `${name} is immutable now`,
  mutable: ({ name }) => `${name} is not immutable any more`,
  "enum-added": ({ name }) => `the enum ${name} is new`,
  "enum-removed": ({ name }) => `the enum ${name} was removed`,
  "enum-value-added": ({ name }) => `the value ${name} is new`,
  "enum-value-removed": ({ name }) => `the value ${name} was removed`,
  "search-added": ({ name }) => `the search ${name} is new`,
  "search-removed": ({ name }) => `the search ${name} was removed`,
  "subgraph-added": ({ name }) => `the subgraph ${name} is new`,
  "subgraph-removed": ({ name }) =>
    `the subgraph ${name} is not deployed any more: its address does not answer`,
  "subgraph-renamed": ({ name, from }) => `the subgraph ${from} is deployed as ${name}: its address changes`,
};

/** Tells a change in a few words, without a full stop. */
export function changeWords(change: SchemaChange): string {
  return words[change.kind](change);
}

function renamed({ name, from, isCertain }: SchemaChange): string {
  const [type = "", field] = name.split(".");
  const before = field === undefined ? from : `${type}.${from}`;
  if (isCertain) return `${before} is ${name} now`;
  return `renamed? ${before} to ${name}, which looks the same; or one was removed and the other added`;
}

/** An interface comes with the type that implements it. */
function pair(name: string): string {
  const [type, one] = name.split(".");
  return `${one} by ${type}`;
}
