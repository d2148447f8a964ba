/** How many samples a plan takes by default. */
export const usualSamples = { samples: 8, sampleBlocks: 200, logRanges: 64 } as const;
