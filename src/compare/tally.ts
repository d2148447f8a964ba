import type { EntityRow } from "./entity-page.js";
import type { ComparedType } from "./match-schemas.js";
import { sameValue } from "./same-value.js";

/** What was found out about the entities of a type so far. */
export interface TypeTally {
  readonly name: string;
  /** Entities read on each side. */
  left: number;
  right: number;
  /** Entities of one side alone, and of both with other values. */
  only_left: number;
  only_right: number;
  different: number;
  /** How many entities differ in a field, by its name. */
  fields: Record<string, number>;
  /** The first differences, in the order of the ids. */
  first: EntityDifference[];
  /** The last id that was compared; null at the beginning. */
  last: string | null;
  isDone: boolean;
}

/** One entity that is not the same on both sides. */
export interface EntityDifference {
  readonly id: string;
  /** The side that alone has it; null when both have, with other values. */
  readonly only: "left" | "right" | null;
  readonly fields: readonly {
    readonly name: string;
    readonly left: string;
    readonly right: string;
  }[];
}

/** Longest value and id in a report, in characters, and most fields of an entity. */
const longestText = 400;
const mostFields = 50;

/** The tally of a type of which nothing was read. */
export function emptyTally(name: string): TypeTally {
  return {
    name,
    ...{ left: 0, right: 0, only_left: 0, only_right: 0, different: 0 },
    ...{ fields: {}, first: [], last: null, isDone: false },
  };
}

/** Whether a tally holds a difference. */
export function hasDifferences({ only_left, only_right, different }: TypeTally): boolean {
  return only_left + only_right + different > 0;
}

/** What a tally is told with. */
export interface TallyOptions {
  /** Differences that are kept of each type. */
  readonly show: number;
  /** Makes a text of an endpoint fit to be kept. */
  readonly clean: (text: string) => string;
}

/** Adds an entity that one side alone has. */
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
    left: textOf(left.values.get(name), options),
    right: textOf(right.values.get(name), options),
  }));
  keep(tally, { id: left.id, only: null, fields: shown }, options);
}

function keep(tally: TypeTally, difference: EntityDifference, options: TallyOptions): void {
  if (tally.first.length >= options.show) return;
  tally.first.push({ ...difference, id: shortened(options.clean(difference.id)) });
}

function textOf(value: unknown, { clean }: TallyOptions): string {
  return shortened(clean(JSON.stringify(value)));
}

function shortened(text: string): string {
  return text.length > longestText ? `${text.slice(0, longestText)}…` : text;
}
