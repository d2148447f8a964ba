/** A source of ENS names, which mappings look up by hash. */
export interface EnsNames {
  /** The name with a hash; `null` when it is unknown, `undefined` when no names are known at all. */
  lookUp(hash: string): Promise<string | null | undefined>;
}

/** The form of a hash that can be looked up; other forms have no name. */
const hashForm = /^0x[0-9a-f]{64}$/;

export function isEnsHash(text: string): boolean {
  return hashForm.test(text);
}

/** Creates a source of names from a map by hash. */
export function ensNamesOf(names: ReadonlyMap<string, string>): EnsNames {
  return { lookUp: async (hash) => names.get(hash) ?? (names.size === 0 ? undefined : null) };
}
