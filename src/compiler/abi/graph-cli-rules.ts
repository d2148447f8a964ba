/** The first version of graph-cli with each of its rules, where older versions generate or build otherwise. */
export const firstVersions = {
  /** Every entity type says whether it is immutable. */
  asksForImmutable: "0.97.0",
  /** Generated types import `Int8`, and ids may be of that type. */
  int8: "0.97.0",
  /** Names that are reserved words get `_`. */
  escapesNames: "0.96.0",
  /** Structs that a call returns have separate names. */
  outputStructs: "0.94.0",
  /**
   * The build has each ABI beside the WASM of its source. Before this version, it had the ABI at its path in the
   * project.
   */
  flatAbis: "0.79.2",
  /** The layout of prettier 3; before, it was that of prettier 1. */
  currentLayout: "0.64.1",
  /** The mapping must export every handler of the source that it is compiled for. */
  checksHandlers: "0.64.0",
  /** The name of an ABI becomes a class name, and templates import everything that any of them needs. */
  cleanNames: "0.62.0",
  /**
   * A derived field is loaded by the id of its own entity; before this version, the id was treated as one of the
   * other type.
   */
  ownIds: "0.61.0",
  /** No loader of interfaces, which the compiler would reject. */
  noInterfaceLoaders: "0.59.0",
  /** Ids that are bytes can be loaded by. */
  loadsByBytes: "0.53.0",
  /** Derived fields have loaders; before, they were read like stored fields. */
  loaders: "0.51.0",
  /** Entities can be loaded in their state within the block. */
  loadInBlock: "0.49.0",
  /** Reading a required field without a value fails with a message. */
  checksNull: "0.47.0",
  /** Derived fields cannot be set. */
  readOnlyDerived: "0.44.0",
} as const;

/** Which of its rules a version of graph-cli has. */
export type GraphCliRules = Readonly<Record<keyof typeof firstVersions, boolean>>;

/** @param has whether the version is not older than another */
export function graphCliRules(has: (first: string) => boolean): GraphCliRules {
  const rules = Object.entries(firstVersions).map(([rule, first]) => [rule, has(first)]);
  return Object.fromEntries(rules) as GraphCliRules;
}

/** The rules of graph-cli 0.98.1. */
export const currentRules: GraphCliRules = graphCliRules(() => true);
