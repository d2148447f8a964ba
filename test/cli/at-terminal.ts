import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { testFolder } from "../support/folder.js";

const main = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));
const script = "/usr/bin/script";

/** Whether this machine can emulate a terminal with `script` from util-linux. */
export const hasTerminal: boolean = existsSync(script);

/** Keys as a terminal sends them. */
export const keys = { enter: "\r", down: "\u001b[B", space: " ", interrupt: "\u0003" } as const;

/** A step of a user in a terminal: waits until a string appears, then types. */
export type Move = readonly [seen: string, typed: string];

/** The outcome of a command in a terminal. */
export interface Session {
  /** Everything shown, without escape sequences. */
  readonly shown: string;
  readonly code: number | null;
  /** The number of moves made. */
  readonly moves: number;
}

/**
 * Runs the real command in a terminal, where a user makes these moves in order. Each move waits for a string that
 * appears after the previous one.
 * @param words the arguments
 */
export function atTerminal(
  words: readonly string[],
  moves: readonly Move[],
  options: {
    readonly cwd: string;
    readonly env?: Readonly<Record<string, string>>;
    readonly columns?: number;
  },
): Promise<Session> {
  const home = testFolder();
  const line = [process.execPath, main, ...words]
    .map((word) => `'${word.replaceAll("'", "'\\''")}'`)
    .join(" ");
  const child = spawn(
    script,
    ["-qfec", `stty cols ${options.columns ?? 160} rows 50; exec ${line}`, "/dev/null"],
    {
      cwd: options.cwd,
      env: { PATH: process.env.PATH ?? "", HOME: home, TERM: "xterm", ...options.env },
    },
  );
  let shown = "";
  let from = 0;
  let made = 0;
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    shown += text;
    for (let move = moves[made]; move; move = moves[made]) {
      const at = plain(shown).indexOf(move[0], from);
      if (at === -1) return;
      from = at + move[0].length;
      made += 1;
      child.stdin.write(move[1]);
    }
  });
  child.stdin.on("error", () => undefined);
  // If a string never appears, the test ends with what was shown instead.
  const giveUp = setTimeout(() => child.kill("SIGKILL"), 250_000);
  return new Promise((resolve) =>
    child.on("close", (code) => {
      clearTimeout(giveUp);
      resolve({ shown: plain(shown), code, moves: made });
    }),
  );
}

/** Removes escape sequences from a string. */
function plain(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: this removes control characters
  return text.replace(/\u001b\[[0-9;?]*[A-Za-z]/g, "").replaceAll("\r", "");
}
