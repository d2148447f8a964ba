/*
 * How often a property is tried, and with what. GRAPHLOOM_PROPERTY_SEED draws other cases, GRAPHLOOM_PROPERTY_RUNS more
 * of them: where there are 100 by default there are as many as it says, elsewhere in proportion.
 */

/** The seed of everything that is drawn at random; fast-check prints it with what it found. */
export const propertySeed = Number(process.env.GRAPHLOOM_PROPERTY_SEED ?? 1);

/** What fast-check needs to know about a property. */
export interface PropertyRun {
  readonly seed: number;
  readonly numRuns: number;
}

/** The run of a property that is tried so often by default. */
export function propertyRun(byDefault = 100): PropertyRun {
  const percent = Number(process.env.GRAPHLOOM_PROPERTY_RUNS ?? 100);
  return { seed: propertySeed, numRuns: Math.ceil((byDefault * percent) / 100) };
}
