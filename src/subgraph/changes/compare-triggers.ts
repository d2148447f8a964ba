import { groupBy } from "../../base/group-by.js";
import { type SourceFacts, sourceTitle, type TriggerFacts, type ValueFacts } from "./facts.js";
import type { Finding, Reason } from "./reason.js";

/** Compares the triggers and the stored entities of one source's handlers. */
export function compareTriggers(before: SourceFacts, after: SourceFacts): readonly Finding[] {
  const [old, now] = [triggersOf(before), triggersOf(after)];
  return [
    ...[...now].flatMap(([key, triggers]): readonly Finding[] => {
      const earlier = old.get(key);
      return earlier ? compareSame(earlier, triggers) : triggers.flatMap((one) => newFindings(one, after));
    }),
    ...[...old]
      .filter(([key]) => !now.has(key))
      .flatMap(([, triggers]) => triggers.flatMap((one) => goneFindings(one, after))),
  ];
}

/** A manifest may have several handlers of one event. */
function triggersOf({ triggers }: SourceFacts): ReadonlyMap<string, readonly TriggerFacts[]> {
  return groupBy(triggers, ({ kind, signature }) => `${kind} ${signature}`);
}

function newFindings(trigger: TriggerFacts, source: SourceFacts): readonly Finding[] {
  return findings(trigger, {
    kind: "trigger-added",
    text: `${describeTrigger(trigger)} of ${sourceTitle(source)} is now handled`,
    place: trigger.place,
  });
}

function goneFindings(trigger: TriggerFacts, source: SourceFacts): readonly Finding[] {
  return findings(trigger, {
    kind: "trigger-removed",
    text: `${describeTrigger(trigger)} of ${sourceTitle(source)} is no longer handled`,
    place: source.place,
  });
}

function findings({ stores }: TriggerFacts, reason: Reason): readonly Finding[] {
  return stores.map(({ entity }) => ({ entity, reason }));
}

function compareSame(before: readonly TriggerFacts[], after: readonly TriggerFacts[]): readonly Finding[] {
  const [first] = after;
  if (!first) return [];
  const filters = (all: readonly TriggerFacts[]): string =>
    all
      .map(({ filter }) => filter)
      .sort()
      .join("; ");
  const [old, now] = [filters(before), filters(after)];
  const reason: Reason = {
    kind: "filter",
    text: `${describeTrigger(first)} now has ${now === "" ? "no filter" : `the filter ${now}`}, previously ${old === "" ? "none" : old}`,
    place: first.place,
  };
  const filtered = old === now ? [] : after.flatMap((trigger) => findings(trigger, reason));
  return [...filtered, ...storeFindings(first, valuesOf(before), valuesOf(after))];
}

type Stored = ReadonlyMap<string, ReadonlyMap<string, ValueFacts> | undefined>;

/** The stored content of each entity type; `undefined` if unknown. */
function valuesOf(triggers: readonly TriggerFacts[]): Stored {
  return new Map(
    triggers.flatMap(({ stores }) => stores.map(({ entity, values }) => [entity, values] as const)),
  );
}

function storeFindings(trigger: TriggerFacts, before: Stored, after: Stored): readonly Finding[] {
  // If only a manifest is known, every handler of a source seems to store all its entities.
  const isKnown = [...before.values(), ...after.values()].every((values) => values !== undefined);
  if (!isKnown) return [];
  const entities = [...new Set([...after.keys(), ...before.keys()])];
  return entities.flatMap((entity): readonly Finding[] => {
    const [old, now] = [before.get(entity), after.get(entity)];
    if (old && now) return valueReasons(trigger, old, now).map((reason) => ({ entity, reason }));
    const place = now && [...now.values()].find((value) => value.place)?.place;
    const text = `${describeTrigger(trigger)} ${now ? "now stores it" : "no longer stores it"}`;
    return [{ entity, reason: { kind: "value", text, place: place ?? trigger.place } }];
  });
}

function valueReasons(
  trigger: TriggerFacts,
  before: ReadonlyMap<string, ValueFacts>,
  after: ReadonlyMap<string, ValueFacts>,
): readonly Reason[] {
  const names = [...new Set([...after.keys(), ...before.keys()])];
  return names.flatMap((name): readonly Reason[] => {
    const [old, now] = [before.get(name), after.get(name)];
    if (old?.text === now?.text) return [];
    const isCall = name.startsWith("calls.");
    const kind = isCall ? "call" : "value";
    const what = isCall ? `the call ${name.slice("calls.".length)}` : name;
    const change = !now
      ? `is no longer ${isCall ? "made" : "set"}`
      : old
        ? `is now ${now.text}, previously ${old.text}`
        : `is now ${isCall ? "made" : "set"}: ${now.text}`;
    return [
      {
        kind,
        text: `${describeTrigger(trigger)}: ${what} ${change}`,
        place: now?.place ?? trigger.place,
        field: name,
      },
    ];
  });
}

function describeTrigger({ kind, signature }: TriggerFacts): string {
  return kind === "block" || kind === "file" ? signature : `${kind} ${signature}`;
}
