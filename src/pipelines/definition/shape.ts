/** The allowed values of a setting. */
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
  /** Read by separate code. */
  | "any";

/** A setting of a definition: its type, and its purpose. */
export interface Setting {
  readonly type: SettingType;
  readonly required?: true;
  /** The only values that a string may have. */
  readonly values?: readonly string[];
  /** The default, as a user would write it. */
  readonly default?: string | number | boolean;
  /**
   * What a sink's setting determines about its rows, if anything: `rows`, their choice or content; `form`, also the
   * form of the table; `reading`, how they are read back, so that the sink cannot continue after a change.
   */
  readonly decides?: readonly ("rows" | "form" | "reading")[];
  /** Why the setting has no effect here, though other services have it: a sentence without a full stop. */
  readonly idle?: string;
  /** A sentence without a full stop, for editors and the manual. */
  readonly describe: string;
}

/** The settings of an object, by name. */
export type Shape = Readonly<Record<string, Setting>>;
