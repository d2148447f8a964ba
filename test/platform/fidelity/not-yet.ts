/** Cases that differ but should not. Remove a case once it is equal. */
export const notYet: readonly string[] = [];
