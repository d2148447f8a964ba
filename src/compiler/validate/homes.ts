import { groupBy } from "../../base/group-by.js";
import { type SchemaPart, schemaAt } from "./schema.js";

/** A kind of object with settings. */
export interface Home {
  readonly path: string;
  readonly name: string;
  /** The setting that contains it, if that belongs to only one other kind of object. */
  readonly within?: { readonly home: string; readonly key: string };
}

/** All objects with settings. */
export const homes: readonly Home[] = [
  { path: "#", name: "the configuration itself" },
  { path: "#/$defs/abi", name: "an ABI" },
  { path: "#/$defs/instance", name: "an instance" },
  { path: "#/$defs/source", name: 'a "source"', within: { home: "#/$defs/instance", key: "source" } },
  { path: "#/$defs/enrich", name: '"enrich"', within: { home: "#/$defs/instance", key: "enrich" } },
  {
    path: "#/$defs/enrich/properties/options",
    name: '"options"',
    within: { home: "#/$defs/enrich", key: "options" },
  },
  { path: "#/$defs/handler", name: "a handler" },
  { path: "#/$defs/call", name: "a call" },
  {
    path: "#/$defs/call/properties/conditions",
    name: '"conditions"',
    within: { home: "#/$defs/call", key: "conditions" },
  },
  { path: "#/$defs/entityItem", name: "an entity of a list" },
];

const settingsOf: ReadonlyMap<Home, ReadonlySet<string>> = new Map(
  homes.map((home) => [home, new Set(Object.keys(schemaAt(home.path)?.properties ?? {}))]),
);
const homesOf = groupBy(
  homes.flatMap((home) => [...(settingsOf.get(home) ?? [])].map((setting) => ({ home, setting }))),
  ({ setting }) => setting,
);

/** The kind of object that a part of the schema describes; an error may have a copy of the part. */
export function homeOf({ properties }: SchemaPart): Home | undefined {
  const names = Object.keys(properties ?? {}).join();
  return homes.find((home) => [...(settingsOf.get(home) ?? [])].join() === names);
}

/** Whether a kind of object has a setting. */
export function hasSetting(home: Home, setting: string): boolean {
  return settingsOf.get(home)?.has(setting) === true;
}

/** The kinds of objects that have a setting. */
export function homesWith(setting: string): readonly Home[] {
  return homesOf.get(setting)?.map(({ home }) => home) ?? [];
}
