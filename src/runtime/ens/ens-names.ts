/** Where the names of ENS come from whose hashes mappings ask for. */
export interface EnsNames {
  /** The name with a hash; null when it is not known, and nothing when no names are known at all. */
  lookUp(hash: string): Promise<string | null | undefined>;
}

/** A hash as it is looked up: other forms have no name. */
const hashForm = /^0x[0-9a-f]{64}$/;

export function isEnsHash(text: string): boolean {
  return hashForm.test(text);
}

/** Names that are known by their hashes. */
export function ensNamesOf(names: ReadonlyMap<string, string>): EnsNames {
  return { lookUp: async (hash) => names.get(hash) ?? (names.size === 0 ? undefined : null) };
}
