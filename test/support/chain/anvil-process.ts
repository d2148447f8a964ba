import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** The time of the first block, in seconds since 1970. */
export const GENESIS_TIME = 1_700_000_000;

/** Everything that could differ between runs is fixed, except the port, which is a free one. */
const FLAGS: readonly string[] = [
  "--host",
  "127.0.0.1",
  "--port",
  "0",
  "--chain-id",
  "31337",
  "--order",
  "fifo",
  "--mnemonic",
  "test test test test test test test test test test test junk",
  "--timestamp",
  String(GENESIS_TIME),
  "--gas-limit",
  "1000000000",
];

/** A running anvil. */
export interface AnvilProcess {
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * Starts anvil on a free port. It answers once the promise is fulfilled, and ends with this process at the latest.
 * @throws Error with its message when it does not start
 */
export async function startAnvilProcess(flags: readonly string[]): Promise<AnvilProcess> {
  const states = statesFolder();
  const child = spawn(binary(), [...usual(flags), "--cache-path", states, ...flags], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const remove = (): void => rmSync(states, { recursive: true, force: true, maxRetries: 3 });
  const kill = (): void => {
    child.kill("SIGKILL");
    remove();
  };
  process.once("exit", kill);
  child.once("exit", () => {
    process.off("exit", kill);
    remove();
  });
  return { url: `http://${await listeningAt(child)}`, stop: () => stop(child) };
}

/** A folder for the states of old blocks, which a killed anvil leaves behind. They are too large for memory. */
function statesFolder(): string {
  const parent = fileURLToPath(new URL("../../../node_modules/.graphloom-tests", import.meta.url));
  mkdirSync(parent, { recursive: true });
  return mkdtempSync(join(parent, "anvil-"));
}

/** Anvil accepts no flag twice. */
function usual(flags: readonly string[]): readonly string[] {
  return FLAGS.filter((flag, index) => {
    const name = flag.startsWith("--") ? flag : FLAGS[index - 1];
    return name === undefined || !flags.includes(name);
  });
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGKILL");
  await ended;
}

/** The program inside the package for this platform. */
function binary(): string {
  const require = createRequire(import.meta.url);
  const architecture = process.arch === "x64" ? "amd64" : process.arch;
  const suffix = process.platform === "win32" ? ".exe" : "";
  const inside = createRequire(require.resolve("@foundry-rs/anvil/package.json"));
  return inside.resolve(`@foundry-rs/anvil-${process.platform}-${architecture}/bin/anvil${suffix}`);
}

/** Waits until the process prints its address, and discards its output from then on. */
function listeningAt(child: ChildProcess): Promise<string> {
  const { stdout, stderr } = child;
  if (!stdout || !stderr) throw new Error("The output of the process is not connected");
  return new Promise((resolve, reject) => {
    let complaints = "";
    stderr.on("data", (chunk) => {
      complaints += String(chunk);
    });
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`anvil ended with status ${code}: ${complaints}`)));
    createInterface({ input: stdout }).on("line", (line) => {
      const address = /Listening on (\S+)/.exec(line)?.[1];
      if (address !== undefined) resolve(address);
    });
  });
}
