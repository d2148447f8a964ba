/** How many samples a plan takes unless the user says otherwise. */
export const usualSamples = { samples: 8, sampleBlocks: 200, logRanges: 64 } as const;
