/*
 * The number and the seed of a property's cases. GRAPHLOOM_PROPERTY_SEED selects different cases.
 * GRAPHLOOM_PROPERTY_RUNS sets the number of cases in percent of the default.
 */

/** The seed of all random cases. fast-check prints it with each failure. */
export const propertySeed = Number(process.env.GRAPHLOOM_PROPERTY_SEED ?? 1);

/** Whether `npm run campaign:properties` runs the tests. */
export const isPropertyCampaign = Number(process.env.GRAPHLOOM_PROPERTY_RUNS ?? 100) > 100;

/** The parameters of fast-check for a property. */
export interface PropertyRun {
  readonly seed: number;
  readonly numRuns: number;
}

/** The run of a property with a default number of cases. */
export function propertyRun(byDefault = 100): PropertyRun {
  const percent = Number(process.env.GRAPHLOOM_PROPERTY_RUNS ?? 100);
  return { seed: propertySeed, numRuns: Math.ceil((byDefault * percent) / 100) };
}
