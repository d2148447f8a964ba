import type { ErrorObject } from "ajv/dist/2020.js";
import { present } from "../../base/invariant.js";
import { quote } from "../../base/quote.js";
import { differsInCase, nearName } from "../diagnostics/correct-name.js";
import { type Details, rewrite } from "../diagnostics/diagnostic.js";
import type { LocatedString } from "../source/source.js";
import { schemaAt } from "./schema.js";
import { type IndexedValue, subjectOf } from "./tree-index.js";
import { schemaOf, type Violation } from "./violation.js";

/** A key that is no setting. */
interface WrongKey {
  readonly key: LocatedString;
  readonly error: ErrorObject;
  readonly slip?: Slip | undefined;
}

/** The setting that a key is a slip of. */
interface Slip {
  readonly meant: string;
  readonly certain: boolean;
}

/** Every object with settings, and how a hint calls it. */
const homes: readonly (readonly [string, string])[] = [
  ["#", "the configuration itself"],
  ["#/$defs/instance", "an instance"],
  ["#/$defs/source", 'a "source"'],
  ["#/$defs/enrich", '"enrich"'],
  ["#/$defs/enrich/properties/options", '"options"'],
  ["#/$defs/handler", "a handler"],
  ["#/$defs/call", "a call"],
  ["#/$defs/call/properties/conditions", '"conditions"'],
  ["#/$defs/entityItem", "an entity of a list"],
];

/** For how many wrong keys of one object the right one is looked for. */
const maxSuggestions = 100;

/**
 * What to say about keys of one object that are no settings.
 * @returns also the settings that they are slips of, which are therefore not missing
 */
export function wrongKeys(
  place: IndexedValue,
  errors: readonly ErrorObject[],
): { readonly violations: readonly Violation[]; readonly meant: ReadonlySet<string> } {
  const meant = new Map<string, number>();
  const wrong = errors.map((error, index): WrongKey => {
    const name = error.params.additionalProperty as string;
    const { key } = present(place.members.get(name), `no key ${name}`);
    const slip =
      index < maxSuggestions ? slipOf(name, place, settingsOf(error), errors.length === 1) : undefined;
    if (slip) meant.set(slip.meant, (meant.get(slip.meant) ?? 0) + 1);
    return { key, error, slip };
  });
  const corrected = new Set<string>();
  const violations = wrong.map((one) => {
    const { key, slip } = one;
    // Of several slips of one setting only one can be it, and nobody knows which.
    const isFirst = slip !== undefined && !corrected.has(slip.meant);
    if (!isFirst) return violation(place, key, moved(one) ?? removed(one));
    corrected.add(slip.meant);
    return violation(place, key, renamed(place, key, slip, meant.get(slip.meant) === 1));
  });
  return { violations, meant: new Set(meant.keys()) };
}

function settingsOf(error: ErrorObject): string[] {
  return Object.keys(schemaOf(error).properties ?? {}).filter((name) => !name.startsWith("$"));
}

/** @param isOnly whether no other key of the object is wrong */
function slipOf(
  name: string,
  { members }: IndexedValue,
  settings: readonly string[],
  isOnly: boolean,
): Slip | undefined {
  const same = settings.find((setting) => bare(setting) === bare(name));
  if (same !== undefined) return { meant: same, certain: true };
  const free = settings.filter((setting) => !members.has(setting));
  if (homesOf(name).length === 1) return undefined;
  const near = nearName(name, free);
  if (near) return { meant: near.name, certain: near.certain };
  const [single] = free;
  return isOnly && single !== undefined && settings.length === 1
    ? { meant: single, certain: false }
    : undefined;
}

/** A name without what people write in different ways. */
function bare(name: string): string {
  return name.toLowerCase().replace(/[_-]/g, "");
}

function violation(place: IndexedValue, key: LocatedString, details: Details): Violation {
  const message = `${subjectOf(place)} has no setting named ${quote(key.value)}`;
  return { code: "unknown-key", at: key.at, message, details };
}

/** @param isOnly whether no other key is a slip of the same setting */
function renamed(
  { members }: IndexedValue,
  key: LocatedString,
  { meant, certain }: Slip,
  isOnly: boolean,
): Details {
  const there = members.get(meant);
  if (there) {
    const related = [{ at: there.key.at, text: "the setting" }];
    return { label: `${quote(meant)} is there already`, related, hint: "remove it" };
  }
  return {
    label: differsInCase(key.value, meant) ? "settings are case-sensitive" : "settings have fixed names",
    hint: `rename it to ${quote(meant)}`,
    ...(certain && isOnly && { fix: [rewrite(key, meant)] }),
  };
}

/** A setting of exactly one other kind of object. */
function moved({ key }: WrongKey): Details | undefined {
  const [home, ...others] = homesOf(key.value);
  if (home === undefined || others.length > 0) return undefined;
  return { label: `a setting of ${home}`, hint: `move it into ${home}` };
}

function homesOf(name: string): string[] {
  return homes.flatMap(([path, home]) =>
    Object.hasOwn(schemaAt(path)?.properties ?? {}, name) ? [home] : [],
  );
}

function removed({ error }: WrongKey): Details {
  return {
    label: "settings have fixed names",
    notes: [`its settings are ${settingsOf(error).map(quote).join(", ")}`],
    hint: "remove it",
  };
}
