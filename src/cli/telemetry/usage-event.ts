/** Everything that is sent after a command. */
export interface UsageEvent {
  /** `subgraph deploy`, without its arguments and options; `other` when the words are not a command. */
  readonly command: string;
  /** Version of graphloom. */
  readonly version: string;
  readonly node: string;
  readonly platform: string;
  readonly exit_code: number;
  readonly duration: string;
}

/** A command that has ended. */
export interface Ended {
  /** The words of its command line. */
  readonly argv: readonly string[];
  readonly code: number;
  /** How long it took. */
  readonly milliseconds: number;
}

/** The environment in which a command ran. */
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

/** Describes a command. The event only contains those words which name commands. */
export function usageEvent(
  { argv, code, milliseconds }: Ended,
  { version, node, platform, paths }: Surroundings,
): UsageEvent {
  return {
    command: commandOf(argv, paths),
    version,
    node,
    platform,
    exit_code: code,
    duration: classes.find(([limit]) => milliseconds < limit)?.[1] ?? "longer",
  };
}

/** The longest command path that the words start with. */
function commandOf(argv: readonly string[], paths: readonly string[]): string {
  const words = `${argv.join(" ")} `;
  const found = paths.filter((path) => words.startsWith(`${path} `));
  return found.sort((one, other) => other.length - one.length)[0] ?? "other";
}
