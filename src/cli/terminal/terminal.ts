import type { Asc } from "../../compiler/asc/asc.js";

/** What a command has of the process and the terminal it was called in; tests bring their own. */
export interface Terminal {
  /** Working directory: relative paths of the command line are seen from here. */
  readonly cwd: string;
  /** Standard input, read when a configuration is `-`. */
  readonly stdin?: AsyncIterable<Uint8Array>;
  /** Results, for people and programs. */
  out(text: string): void;
  /** Diagnostics and failures. */
  err(text: string): void;
  /** What means nothing a moment later, such as progress; goes to `err` where this is absent. */
  passing?(text: string): void;
  /** Whether `err` may be coloured: it is a terminal, and nobody has set NO_COLOR. */
  readonly color: boolean;
  /** Whether `out` may be coloured too, where `err` may. */
  readonly outColor?: boolean;
  /** Whether `err` is a terminal, where a line can be written over. */
  readonly isTty?: boolean;
  /** How wide the terminal is; 80 when nobody knows. */
  readonly columns?: number | undefined;
  /**
   * Asks the person at the terminal; absent where nobody can be asked. A hidden answer is not shown while it is typed.
   * @returns nothing when the person ends the input instead
   */
  ask?(question: string, options?: { readonly hidden?: boolean }): Promise<string | undefined>;
  /** A compiler that is running already; without it a command that needs one starts its own, and ends it. */
  readonly asc?: Asc;
  /** Environment variables. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /**
   * Told before the target is touched and after, and before and after a run or a deployment: an interrupt in between
   * waits for a clean end.
   */
  onWriting(isWriting: boolean): void;
  /** Aborted when the user interrupts. */
  readonly signal: AbortSignal;
}
