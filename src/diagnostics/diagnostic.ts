import type { Location } from "../source/source.js";
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
  /** Other places that belong to the finding, each with a few words why. */
  readonly related: readonly RelatedPlace[];
  /** Further facts, such as the words of a tool underneath. */
  readonly notes: readonly string[];
  /** One thing to do, in the imperative. */
  readonly hint?: string;
}

export interface RelatedPlace {
  readonly at: Location;
  readonly text: string;
}

/** What a finding may carry beside its message. */
export interface Details {
  readonly related?: readonly RelatedPlace[];
  readonly notes?: readonly string[];
  readonly hint?: string | undefined;
}
