/** What is sent after a command: all of it. */
export interface UsageEvent {
  /** `subgraph deploy`, without its arguments and options; `other` when the words were no command's. */
  readonly command: string;
  /** Of graphloom. */
  readonly version: string;
  readonly node: string;
  readonly platform: string;
  readonly exit_code: number;
  readonly duration: string;
}

/** A command that has ended. */
export interface Ended {
  /** Its words. */
  readonly argv: readonly string[];
  readonly code: number;
  /** How long it took. */
  readonly milliseconds: number;
}

/** Where and with what a command ran. */
export interface Surroundings {
  readonly version: string;
  readonly node: string;
  readonly platform: string;
  /** The paths of all commands: `subgraph deploy`. */
  readonly paths: readonly string[];
}

const classes = [
  [1_000, "under 1 s"],
  [10_000, "under 10 s"],
  [60_000, "under 1 min"],
  [600_000, "under 10 min"],
] as const;

/** Tells of a command. Of its words, only what the program itself calls its commands is in it. */
export function usageEvent(
  { argv, code, milliseconds }: Ended,
  { version, node, platform, paths }: Surroundings,
): UsageEvent {
  return {
    command: commandOf(argv, paths),
    ...{ version, node, platform },
    exit_code: code,
    duration: classes.find(([limit]) => milliseconds < limit)?.[1] ?? "longer",
  };
}

/** The longest path that the words begin with. */
function commandOf(argv: readonly string[], paths: readonly string[]): string {
  const words = `${argv.join(" ")} `;
  const found = paths.filter((path) => words.startsWith(`${path} `));
  return found.sort((one, other) => other.length - one.length)[0] ?? "other";
}
