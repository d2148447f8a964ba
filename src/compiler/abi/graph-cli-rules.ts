/** For each rule of graph-cli, the first version that has it; older versions behave differently. */
export const firstVersions = {
  /** Every entity type must say whether it is immutable. */
  asksForImmutable: "0.97.0",
  /** Generated types import `Int8`, and ids may be of that type. */
  int8: "0.97.0",
  /** Reserved words get `_` as names. */
  escapesNames: "0.96.0",
  /** Structs that a call returns have separate names. */
  outputStructs: "0.94.0",
  /** The build puts each ABI beside the WASM of its source. Older versions keep the ABI's path in the project. */
  flatAbis: "0.79.2",
  /** The layout of prettier 3 instead of prettier 1. */
  currentLayout: "0.64.1",
  /** The mapping must export every handler of the source for which it is compiled. */
  checksHandlers: "0.64.0",
  /** ABI names become valid class names, and templates import everything that any of them needs. */
  cleanNames: "0.62.0",
  /** A derived field is loaded by its own entity's id; older versions treat the id as the other type's. */
  ownIds: "0.61.0",
  /** No loaders for interfaces, which the compiler would reject. */
  noInterfaceLoaders: "0.59.0",
  /** Entities can be loaded by ids that are bytes. */
  loadsByBytes: "0.53.0",
  /** Derived fields have loaders; older versions read them like stored fields. */
  loaders: "0.51.0",
  /** Entities can be loaded as they are within the block. */
  loadInBlock: "0.49.0",
  /** Reading a required field without a value fails with a message. */
  checksNull: "0.47.0",
  /** Derived fields cannot be set. */
  readOnlyDerived: "0.44.0",
} as const;

/** The rules that a version of graph-cli has. */
export type GraphCliRules = Readonly<Record<keyof typeof firstVersions, boolean>>;

/** @param has whether the version is at least another */
export function graphCliRules(has: (first: string) => boolean): GraphCliRules {
  const rules = Object.entries(firstVersions).map(([rule, first]) => [rule, has(first)]);
  return Object.fromEntries(rules) as GraphCliRules;
}

/** The rules of graph-cli 0.98.1. */
export const currentRules: GraphCliRules = graphCliRules(() => true);
