/** A wrong combination of options, in words for the command line. */
export interface WrongUsage {
  readonly kind: "usage";
  readonly message: string;
}

/** The same for one option. */
export function wrongOption(option: string, problem: string): WrongUsage {
  return { kind: "usage", message: `--${option}: ${problem}.` };
}
