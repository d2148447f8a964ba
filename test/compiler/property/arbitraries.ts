import fc from "fast-check";

/** A JSON value; objects may have an own key `__proto__`. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** One of `items`. */
export const pick = <T>(items: readonly T[]): fc.Arbitrary<T> => fc.constantFrom(...items);

/** The usual value, or, with a chance of one in `care` + 1, the other. */
export function either<T>(usual: fc.Arbitrary<T>, other: fc.Arbitrary<T>, care: number): fc.Arbitrary<T> {
  return fc.oneof({ arbitrary: usual, weight: care }, { arbitrary: other, weight: 1 });
}

/** One of `items`, or, with a chance of one in `care` + 1, one of `others`. */
export const mostly = <T>(items: readonly T[], others: readonly T[], care: number): fc.Arbitrary<T> =>
  items.length === 0 ? pick(others) : either(pick(items), pick(others), care);

/** An object. Each optional key is left out half of the time. */
export const record = (
  model: Readonly<Record<string, fc.Arbitrary<Json>>>,
  requiredKeys: string[],
): fc.Arbitrary<Json> => fc.record(model, { requiredKeys, noNullPrototype: true }) as fc.Arbitrary<Json>;

/** An object with any keys. The last of equal keys is kept. */
export const dictionary = (
  pairs: fc.Arbitrary<readonly [string, Json]>,
  size: { readonly minLength?: number; readonly maxLength: number },
): fc.Arbitrary<Json> => fc.array(pairs, size).map(fromEntries);

/** An object that may have an own key `__proto__`. */
export const fromEntries = (entries: readonly (readonly [string, Json])[]): Json =>
  Object.fromEntries(entries);
