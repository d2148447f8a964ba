import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { testFolder } from "../support/folder.js";

/** The outcome of a process. */
export interface Ended {
  /** `null` after a signal. */
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface ProcessOptions {
  readonly cwd?: string;
  /** Environment variables in addition to those that Node requires. */
  readonly env?: Readonly<Record<string, string>>;
  /** The piped input; empty by default. */
  readonly stdin?: string;
  /** Receives everything printed so far, and a function that interrupts the process. */
  readonly onPrint?: (soFar: { readonly out: string; readonly err: string }, interrupt: () => void) => void;
}

const main = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

/** Creates a home directory that is deleted after the test. */
export const home = (): string => testFolder();

/** The contents of all files below a folder, by path relative to it. */
export function filesBelow(folder: string): ReadonlyMap<string, string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return new Map(
    entries
      .filter((entry) => entry.isFile())
      .map((entry) => {
        const path = join(entry.parentPath, entry.name);
        return [path.slice(folder.length + 1), readFileSync(path, "latin1")] as const;
      }),
  );
}

/** Runs the real command as a process, without a terminal. */
export function command(args: readonly string[], options: ProcessOptions = {}): Promise<Ended> {
  const own = home();
  const { cwd = own, env = {}, stdin = "", onPrint } = options;
  const child = spawn(process.execPath, [main, ...args], {
    cwd,
    env: { PATH: process.env.PATH ?? "", HOME: own, ...env },
    stdio: ["pipe", "pipe", "pipe"],
  });
  let out = "";
  let err = "";
  const printed = (): void => onPrint?.({ out, err }, () => child.kill("SIGINT"));
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    out += text;
    printed();
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    err += text;
    printed();
  });
  // A process that ends without reading leaves a broken pipe.
  child.stdin.on("error", () => undefined).end(stdin);
  return new Promise((resolve) => child.on("close", (code) => resolve({ code, out, err })));
}
