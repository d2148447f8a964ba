/** A wrong use of options, with a message for the command line. */
export interface WrongUsage {
  readonly kind: "usage";
  readonly message: string;
}

/** A wrong use of a single option. */
export function wrongOption(option: string, problem: string): WrongUsage {
  return { kind: "usage", message: `--${option}: ${problem}.` };
}
