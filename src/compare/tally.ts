import type { EntityRow } from "./entity-page.js";
import type { ComparedType } from "./match-schemas.js";
import { sameValue } from "./same-value.js";

/** The results for the entities of a type so far. */
export interface TypeTally {
  readonly name: string;
  /** Number of entities read on each side. */
  left: number;
  right: number;
  /** Number of entities on one side only, and of entities on both sides with different values. */
  only_left: number;
  only_right: number;
  different: number;
  /** Number of entities that differ in a field, by field name. */
  fields: Record<string, number>;
  /** The first differences, in the order of the ids. */
  first: EntityDifference[];
  /** The last compared id; null at the start. */
  last: string | null;
  isDone: boolean;
}

/** An entity that differs between the sides. */
export interface EntityDifference {
  readonly id: string;
  /** The only side that has it; null when both sides have it, with different values. */
  readonly only: "left" | "right" | null;
  readonly fields: readonly {
    readonly name: string;
    readonly left: string;
    readonly right: string;
  }[];
}

/** The longest value and id in a report, in characters, and the most fields of an entity. */
const longestText = 400;
export const mostFields = 50;

/** The tally of a type before anything was read. */
export function emptyTally(name: string): TypeTally {
  return {
    name,
    left: 0,
    right: 0,
    only_left: 0,
    only_right: 0,
    different: 0,
    fields: {},
    first: [],
    last: null,
    isDone: false,
  };
}

/** Whether a tally contains a difference. */
export function hasDifferences({ only_left, only_right, different }: TypeTally): boolean {
  return only_left + only_right + different > 0;
}

/** Options for adding to a tally. */
export interface TallyOptions {
  /** Differences to keep for each type. */
  readonly show: number;
  /** Makes a string of an endpoint safe to store. */
  readonly clean: (text: string) => string;
}

/** Adds an entity that only one side has. */
export function addOnly(
  tally: TypeTally,
  side: "left" | "right",
  { id }: EntityRow,
  options: TallyOptions,
): void {
  tally[side] += 1;
  tally[`only_${side}`] += 1;
  tally.last = id;
  keep(tally, { id, only: side, fields: [] }, options);
}

/** Adds an entity that both sides have. */
export function addBoth(
  tally: TypeTally,
  { fields }: ComparedType,
  left: EntityRow,
  right: EntityRow,
  options: TallyOptions,
): void {
  tally.left += 1;
  tally.right += 1;
  tally.last = left.id;
  const differing = fields.filter(
    ({ name, rule }) => !sameValue(rule, left.values.get(name), right.values.get(name)),
  );
  if (differing.length === 0) return;
  tally.different += 1;
  for (const { name } of differing) tally.fields[name] = (tally.fields[name] ?? 0) + 1;
  if (tally.first.length >= options.show) return;
  const shown = differing.slice(0, mostFields).map(({ name }) => ({
    name,
    left: shortJson(left.values.get(name), options),
    right: shortJson(right.values.get(name), options),
  }));
  keep(tally, { id: left.id, only: null, fields: shown }, options);
}

function keep(tally: TypeTally, difference: EntityDifference, options: TallyOptions): void {
  if (tally.first.length >= options.show) return;
  tally.first.push({ ...difference, id: shortened(options.clean(difference.id)) });
}

/** A value as JSON that is safe to show, cut off if it is long. */
export function shortJson(value: unknown, { clean }: Pick<TallyOptions, "clean">): string {
  return shortened(clean(JSON.stringify(value)));
}

/** Cuts off a text that is too long for a report. */
export function shortened(text: string): string {
  return text.length > longestText ? `${text.slice(0, longestText)}…` : text;
}
