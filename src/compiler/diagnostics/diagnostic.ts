import type { LocatedString, Location } from "../source/source.js";
import type { Code } from "./catalog.js";

/** Severity of a diagnostic. Only errors stop the pipeline. */
export type Severity = "error" | "warning" | "note";

/** One diagnostic about the user's input, as data; renderers print it. */
export interface Diagnostic {
  /** Stable; the catalogue explains each. */
  readonly code: Code;
  readonly severity: Severity;
  /** The fact in the user's words: lower case, without a final period. */
  readonly message: string;
  /** The smallest wrong part of the text; absent only if no file is at fault. */
  readonly at?: Location;
  /** A few words beside the location that say why this text is wrong. */
  readonly label?: string;
  /** Related locations, each with a few words of explanation. */
  readonly related: readonly RelatedPlace[];
  /** Additional facts, such as the message of an underlying tool. */
  readonly notes: readonly string[];
  /** One thing to do, in the imperative. */
  readonly hint?: string;
  /** The hint as edits of the text, if they are certain to be correct. */
  readonly fix?: readonly Edit[];
}

/** An edit of the user's text. A fix applies all of its edits or none. */
export type Edit =
  /** Replaces a part of a string or key. Offsets count in its decoded value. */
  | {
      readonly kind: "part";
      readonly of: LocatedString;
      readonly start: number;
      readonly end: number;
      readonly text: string;
    }
  /** Replaces a whole value, or a list of texts, with a scalar. */
  | { readonly kind: "value"; readonly at: Location; readonly value: string | number | boolean }
  /** Wraps a text in a new object. */
  | {
      readonly kind: "wrap";
      readonly at: Location;
      /** The key of the text in the new object, a plain word. */
      readonly under: string;
    }
  /** Moves adjacent members of the object at `at` into a new object, which takes their place. */
  | {
      readonly kind: "nest";
      readonly at: Location;
      readonly keys: readonly string[];
      /** The key of the new object, a plain word not yet in the enclosing object. */
      readonly under: string;
    }
  /** Adds a first member to the object at `at`. The object must have members, but none with this key. */
  | {
      readonly kind: "add";
      readonly at: Location;
      /** A plain word. */
      readonly key: string;
      readonly value: string;
    };

export interface RelatedPlace {
  readonly at: Location;
  readonly text: string;
}

/** Optional parts of a diagnostic. */
export interface Details {
  readonly label?: string | undefined;
  readonly related?: readonly RelatedPlace[];
  readonly notes?: readonly string[];
  readonly hint?: string | undefined;
  readonly fix?: readonly Edit[] | undefined;
}

/** An edit that replaces a whole string. */
export function rewrite(of: LocatedString, text: string): Edit {
  return { kind: "part", of, start: 0, end: of.value.length, text };
}
