/** The text of the module that contains the compiled hash of proofs of indexing. */
export function makeStableHash(): Promise<string>;
