import type { Asc } from "../../compiler/asc/asc.js";
import type { Prompts } from "./prompts/prompts.js";
import type { OpenScreen } from "./screen.js";

/** The process and terminal as a command sees them; tests provide their own. */
export interface Terminal {
  /** Working directory, which relative paths of the command line start from. */
  readonly cwd: string;
  /** The folder that no file may be outside of, for callers that are not people; absent without this limit. */
  readonly within?: string;
  /** Whether definitions of pipelines get variables and secrets, and reach private addresses, even with such a limit. */
  readonly trustsDefinitions?: boolean;
  /** Standard input, read when a configuration is `-`. */
  readonly stdin?: AsyncIterable<Uint8Array>;
  /** Prints results to standard output. */
  out(text: string): void;
  /** Prints diagnostics and failures to standard error. */
  err(text: string): void;
  /** Prints transient text such as progress; `err` when absent. */
  passing?(text: string): void;
  /** Whether `err` may be coloured: it is a terminal, and NO_COLOR is not set. */
  readonly color: boolean;
  /** Whether `out` may also be coloured. */
  readonly outColor?: boolean;
  /** Whether `err` is a terminal, where a line can be rewritten. */
  readonly isTty?: boolean;
  /** Width of the terminal; 80 when unknown. */
  readonly columns?: number | undefined;
  /**
   * Prompts at the terminal; absent without one. A hidden answer is not echoed.
   * @returns `undefined` at the end of input
   */
  ask?(question: string, options?: { readonly hidden?: boolean }): Promise<string | undefined>;
  /** Questions with answers to choose; absent without a terminal. */
  readonly prompts?: Prompts;
  /** Takes the whole terminal; absent unless both input and output are terminals. */
  readonly openScreen?: OpenScreen;
  /** A running compiler; without it a command starts and ends its own. */
  readonly asc?: Asc;
  /** Environment variables. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /**
   * Called around writing the target, a run or a deployment: an interrupt in between waits for a clean end.
   */
  onWriting(isWriting: boolean): void;
  /** Called around a compilation: an interrupt in between ends the process at once, unless something is being written. */
  onCompiling?(isCompiling: boolean): void;
  /** Called when a server has shut down cleanly: an interrupt is the usual way to stop it, not a failure. */
  onServed?(): void;
  /** Aborted when the user interrupts. */
  readonly signal: AbortSignal;
}
