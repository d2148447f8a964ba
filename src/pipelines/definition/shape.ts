/** What a setting's value must be. */
export type SettingType =
  | "string"
  | "boolean"
  /** A whole number of at least 0. */
  | "count"
  /** A time such as `10s` or `300ms`, or a number of milliseconds. */
  | "duration"
  /** A block number, `earliest` or `latest`. */
  | "start"
  /** A list of strings, or one string with commas. */
  | "names"
  /** Strings by name. */
  | "strings"
  /** Strings or nulls by name. */
  | "overrides"
  /** Read by code of its own. */
  | "any";

/** A setting of a definition: its type, and its purpose. */
export interface Setting {
  readonly type: SettingType;
  readonly required?: true;
  /** The only values that a string may have. */
  readonly values?: readonly string[];
  /** What holds if the setting is absent, as a user would write it. */
  readonly default?: string | number | boolean;
  /**
   * What a setting of a sink decides about the rows that it holds, if anything: `rows`, which they are or how each looks;
   * `form`, also the form of the table; `reading`, how they are read back, so that the sink cannot continue with another.
   */
  readonly decides?: readonly ("rows" | "form" | "reading")[];
  /** A sentence without a final period, for editors and the manual. */
  readonly describe: string;
}

/** The settings of an object, by name. */
export type Shape = Readonly<Record<string, Setting>>;
