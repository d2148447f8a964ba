/** Cases that differ and are to be mended; one that has become equal is to be taken from here. */
export const notYet: readonly string[] = [];
