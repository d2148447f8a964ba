import type { ErrorObject } from "ajv/dist/2020.js";
import { groupBy } from "../../../base/group-by.js";
import { present } from "../../../base/invariant.js";
import { quote } from "../../../base/text/quote.js";
import { differsInCase, nearName } from "../../diagnostics/correct-name.js";
import { type Details, type Edit, rewrite } from "../../diagnostics/diagnostic.js";
import type { LocatedString } from "../../source/source.js";
import type { Member } from "../../source/tree.js";
import { type Home, homeOf, homesWith } from "../homes.js";
import { type ListedArguments, listedArguments } from "./listed-arguments.js";
import { type Misplaced, misplacedIn, nestOf } from "./misplaced.js";
import { bareWord, meantHere, type WordContext } from "./other-words.js";
import { type IndexedValue, nameInMessages } from "./tree-index.js";
import { schemaOf, type Violation } from "./violation.js";

interface WrongKey {
  readonly member: Member;
  readonly error: ErrorObject;
  readonly slip?: Slip | undefined;
  readonly misplaced?: Misplaced | undefined;
}

/** The setting that a key misspells, or for which it is a synonym. */
interface Slip {
  readonly meant: string;
  readonly certain: boolean;
  readonly isOtherWord?: boolean;
  /** The value in the setting's own form, if that differs. */
  readonly value?: ListedArguments | undefined;
}

/** Maximum number of wrong keys per object with suggestions. */
const maxSuggestions = 100;

/**
 * The violations by an object's unknown keys.
 * @returns also the settings that they certainly mean, which therefore do not count as missing
 */
export function wrongKeys(
  place: IndexedValue,
  errors: readonly ErrorObject[],
  context: WordContext,
): { readonly violations: readonly Violation[]; readonly meant: ReadonlySet<string> } {
  const meant = new Map<string, number>();
  const home = errors[0] && homeOf(schemaOf(errors[0]));
  const wrong = errors.map((error, index): WrongKey => {
    const name = error.params.additionalProperty as string;
    const member = present(place.members.get(name), `no key ${name}`);
    const slip =
      index < maxSuggestions
        ? slipOf(member, place, meantSettings(error, member), home, errors.length === 1, context)
        : undefined;
    if (slip) meant.set(slip.meant, (meant.get(slip.meant) ?? 0) + 1);
    return { member, error, slip, misplaced: slip ? undefined : misplacedIn(home, member, place, context) };
  });
  const nests = nestsOf(wrong, place);
  const corrected = new Set<string>();
  const violations = wrong.map((one) => {
    const { member, slip } = one;
    const { key } = member;
    // Of several typos of one setting, only the first can be the intended setting.
    const isFirst = slip !== undefined && !corrected.has(slip.meant);
    if (!isFirst) return violation(place, key, moved(one, nests) ?? removed(one));
    corrected.add(slip.meant);
    return violation(place, key, renamed(place, key, slip, meant.get(slip.meant) === 1));
  });
  return { violations, meant: new Set([...meant.keys(), ...nests.keys()]) };
}

function settingsOf(error: ErrorObject): string[] {
  return Object.keys(schemaOf(error).properties ?? {}).filter((name) => !name.startsWith("$"));
}

/** The settings that a key can mean: with an object or a list as its value, not a text. */
function meantSettings(error: ErrorObject, { value }: Member): string[] {
  const { properties } = schemaOf(error);
  const isScalar = value.kind !== "object" && value.kind !== "array";
  return settingsOf(error).filter((name) => isScalar || properties?.[name]?.type !== "string");
}

/** @param isOnly whether it is the object's only wrong key */
function slipOf(
  { key, value }: Member,
  { members }: IndexedValue,
  settings: readonly string[],
  home: Home | undefined,
  isOnly: boolean,
  context: WordContext,
): Slip | undefined {
  const name = key.value;
  const same = settings.find((setting) => bareWord(setting) === bareWord(name));
  if (same !== undefined) return { meant: same, certain: true };
  const word = home && meantHere(name, value, home.path, context);
  if (word !== undefined) {
    const listed = word === "params" ? listedArguments(value) : undefined;
    return { meant: word, certain: !listed || listed.edit !== undefined, isOtherWord: true, value: listed };
  }
  // "chains" belongs to an older format and has no effect.
  const free = settings.filter((setting) => !members.has(setting) && setting !== "chains");
  if (homesWith(name).length === 1) return undefined;
  const near = nearName(name, free);
  if (near) return { meant: near.name, certain: near.certain };
  const [single] = free;
  return isOnly && single !== undefined && settings.length === 1
    ? { meant: single, certain: false }
    : undefined;
}

function violation(place: IndexedValue, key: LocatedString, details: Details): Violation {
  const message = `${nameInMessages(place)} has no setting named ${quote(key.value)}`;
  return { code: "unknown-key", at: key.at, message, details };
}

/** @param isOnly whether no other key is a typo of the same setting */
function renamed(
  { members }: IndexedValue,
  key: LocatedString,
  { meant, certain, isOtherWord, value }: Slip,
  isOnly: boolean,
): Details {
  const there = members.get(meant);
  if (there) {
    const related = [{ at: there.key.at, text: "the setting" }];
    return { label: `${quote(meant)} is already set`, related, hint: "remove it" };
  }
  const fixed = isOtherWord ? `it is called ${quote(meant)} here` : "settings have fixed names";
  return {
    label: differsInCase(key.value, meant) ? "settings are case-sensitive" : fixed,
    hint: value ? `write ${quote(meant)}: ${value.written}` : `rename it to ${quote(meant)}`,
    ...(certain && isOnly && { fix: [rewrite(key, meant), ...(value?.edit ? [value.edit] : [])] }),
  };
}

/** The violation by a setting that belongs to another kind of object. */
function moved({ misplaced }: WrongKey, nests: ReadonlyMap<string, Edit | undefined>): Details | undefined {
  if (!misplaced) return undefined;
  const { label, hint, under } = misplaced;
  const fix = under === undefined ? undefined : nests.get(under.key);
  return { label, hint, ...(fix && { fix: [fix] }) };
}

/** By missing enclosing setting: the edit that wraps it around all of its keys, if that is certain. */
function nestsOf(wrong: readonly WrongKey[], { node }: IndexedValue): ReadonlyMap<string, Edit | undefined> {
  const moves = wrong.flatMap(({ member, misplaced }) =>
    misplaced?.under ? [{ ...misplaced.under, name: member.key.value }] : [],
  );
  return new Map(
    [...groupBy(moves, ({ key }) => key)].map(([under, those]) => {
      const names = those.map(({ name }) => name);
      return [under, those.every(({ isCertain }) => isCertain) ? nestOf(node, names, under) : undefined];
    }),
  );
}

function removed({ error }: WrongKey): Details {
  return {
    label: "settings have fixed names",
    notes: [`its settings are ${settingsOf(error).map(quote).join(", ")}`],
    hint: "remove it",
  };
}
