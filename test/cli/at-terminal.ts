import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { testFolder } from "../support/folder.js";

const main = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));
const script = "/usr/bin/script";

/** Whether this machine can play a terminal: util-linux's `script` makes one. */
export const hasTerminal: boolean = existsSync(script);

/** Keys as a terminal sends them. */
export const keys = { enter: "\r", down: "\u001b[B", space: " ", interrupt: "\u0003" } as const;

/** What somebody at a terminal does: waits until a text appears, then types. */
export type Move = readonly [seen: string, typed: string];

/** What a command at a terminal left behind. */
export interface Session {
  /** Everything shown, without what moves the cursor and colours. */
  readonly shown: string;
  readonly code: number | null;
  /** How many moves were made. */
  readonly moves: number;
}

/**
 * Runs the real command at a terminal, where somebody makes moves one after another; each waits for a text that
 * appears after the move before.
 * @param words the command line's words
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
  // Whoever waits for a text that does not come is shown what came instead.
  const giveUp = setTimeout(() => child.kill("SIGKILL"), 100_000);
  return new Promise((resolve) =>
    child.on("close", (code) => {
      clearTimeout(giveUp);
      resolve({ shown: plain(shown), code, moves: made });
    }),
  );
}

/** A text as it reads, without escape sequences. */
function plain(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken away
  return text.replace(/\u001b\[[0-9;?]*[A-Za-z]/g, "").replaceAll("\r", "");
}
