import type { LocatedString, Location } from "../source/source.js";
import type { Code } from "./catalog.js";

/** How grave a finding is. Only errors stop the pipeline. */
export type Severity = "error" | "warning" | "note";

/** One finding about what the user wrote. Data only: how it looks is the renderer's business. */
export interface Diagnostic {
  /** Stable; the catalogue explains each. */
  readonly code: Code;
  readonly severity: Severity;
  /** The fact in the user's words: lower case, no full stop. */
  readonly message: string;
  /** The least text that is wrong; absent only where no file is to blame. */
  readonly at?: Location;
  /** A few words behind the place: why this text is wrong. */
  readonly label?: string;
  /** Other places that belong to the finding, each with a few words why. */
  readonly related: readonly RelatedPlace[];
  /** Further facts, such as the words of a tool underneath. */
  readonly notes: readonly string[];
  /** One thing to do, in the imperative. */
  readonly hint?: string;
  /** The hint as a change of the text, where that change is certain to be what is meant. */
  readonly fix?: readonly Edit[];
}

/** One change of what the user wrote. The edits of a fix are made together or not at all. */
export type Edit =
  /** Puts `text` in the place of a part of a string, a key included; offsets count in its decoded value. */
  | {
      readonly kind: "part";
      readonly of: LocatedString;
      readonly start: number;
      readonly end: number;
      readonly text: string;
    }
  /** Puts another scalar in the place of a whole value. */
  | { readonly kind: "value"; readonly at: Location; readonly value: string | number | boolean }
  /** Puts neighbouring members of the object at `at` into an object of their own, which takes their place. */
  | {
      readonly kind: "nest";
      readonly at: Location;
      /** The keys of the members. */
      readonly keys: readonly string[];
      /** The key of their object, a plain word that the object around it does not have. */
      readonly under: string;
    };

export interface RelatedPlace {
  readonly at: Location;
  readonly text: string;
}

/** What a finding may carry beside its message. */
export interface Details {
  readonly label?: string | undefined;
  readonly related?: readonly RelatedPlace[];
  readonly notes?: readonly string[];
  readonly hint?: string | undefined;
  readonly fix?: readonly Edit[] | undefined;
}

/** The edit that replaces a whole string. */
export function rewrite(of: LocatedString, text: string): Edit {
  return { kind: "part", of, start: 0, end: of.value.length, text };
}
