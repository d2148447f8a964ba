/** From the most to the least serious. */
export const logLevels = ["error", "warn", "info", "debug"] as const;
export type LogLevel = (typeof logLevels)[number];

export interface LogLine {
  readonly text: string;
  /** Milliseconds since 1970. */
  readonly timestamp: number;
  readonly level: LogLevel;
}

/** Selects lines of a log. */
export interface LogQuery {
  /** The cursor at the end of an earlier page. */
  readonly cursor?: number | undefined;
  /** Milliseconds since 1970: only lines from then on. */
  readonly after?: number | undefined;
  readonly direction: "asc" | "desc";
  /** A part of the text, case-insensitive. */
  readonly search?: string | undefined;
  readonly levels?: readonly LogLevel[] | undefined;
  readonly limit: number;
}

export interface LogPage {
  readonly lines: readonly LogLine[];
  /** Where more lines follow. */
  readonly cursor?: number;
}
