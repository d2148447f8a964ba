/**
 * The examples whose mappings refuse made-up happenings. On the chains of `history.chain.test.ts`, contracts do what can
 * really happen to them; on the chains of `history.compiler.test.ts`, anything happens.
 */
export const onLocalChains: readonly string[] = ["market"];
