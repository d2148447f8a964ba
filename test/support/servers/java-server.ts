import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createServer } from "node:net";
import { homedir } from "node:os";
import { join } from "node:path";

/** Where `.ci/run` puts what tests run against. */
export const cacheFolder = join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "graphloom-test");

/** Servers whose jars `.ci/run` brings, by the names of their folders. */
export type JavaServerName = "kafka" | "s3proxy" | "flink";

/** Options that let a small server start soon. */
const quickStart = ["-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto"];

/** A Java program that runs as a process of its own. */
export interface JavaProcess {
  /** Ends it at once, as a power failure does, and waits until it has ended. */
  kill(): Promise<void>;
}

/** How a Java program is started. */
export interface JavaOptions {
  /** Options of Java itself. */
  readonly options?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Why tests of a server are skipped; `undefined` when it can be started. */
export function lackOfJava(server: JavaServerName): string | undefined {
  if (!existsSync(jarsOf(server))) return `no jars of ${server} in ${jarsOf(server)}; .ci/run brings them`;
  try {
    execFileSync("java", ["-version"], { stdio: "ignore" });
    return undefined;
  } catch {
    return `java is not installed, which ${server} needs`;
  }
}

/** Runs a main class of a server to its end. @returns what it prints */
export function runJava(server: JavaServerName, main: string, args: readonly string[]): string {
  return execFileSync("java", [...quickStart, ...commandOf(server, main, args)], {
    encoding: "utf8",
    stdio: "pipe",
  });
}

/**
 * Starts a main class of a server. It ends with this process at the latest.
 * @param ready what the output contains once it answers
 * @throws Error with the end of its output when it does not start
 */
export async function startJava(
  server: JavaServerName,
  main: string,
  args: readonly string[],
  ready: RegExp,
  { options = [], env = {} }: JavaOptions = {},
): Promise<JavaProcess> {
  const child = spawn("java", [...quickStart, ...options, ...commandOf(server, main, args)], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...env },
  });
  const end = (): void => void child.kill("SIGKILL");
  process.once("exit", end);
  child.once("exit", () => process.off("exit", end));
  await readiness(child, ready);
  return {
    kill: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, "exit");
      end();
      await ended;
    },
  };
}

/**
 * Free ports of the loopback interface. Linux gives none of them to connections or servers that take any port: a Java program
 * may need half a minute to start listening, by which time others would have taken such a port.
 */
export async function freePorts(count: number): Promise<readonly number[]> {
  const ports = new Set<number>();
  while (ports.size < count) {
    const port = 10_000 + Math.floor(Math.random() * 22_000);
    if (await isFree(port)) ports.add(port);
  }
  return [...ports];
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}

function jarsOf(server: JavaServerName): string {
  return join(cacheFolder, server);
}

function commandOf(server: JavaServerName, main: string, args: readonly string[]): readonly string[] {
  return ["-cp", join(jarsOf(server), "*"), main, ...args];
}

/** Waits for what a ready server prints, and discards what it prints from then on. */
function readiness(child: ChildProcess, ready: RegExp): Promise<void> {
  return new Promise((resolve, reject) => {
    let said = "";
    for (const stream of [child.stdout, child.stderr])
      stream?.on("data", (chunk) => {
        said = `${said}${String(chunk)}`.slice(-10_000);
        if (ready.test(said)) resolve();
      });
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`java ended with status ${code}: ${said}`)));
  });
}
