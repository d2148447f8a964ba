import { spawn } from "node:child_process";
import { closeSync, existsSync, mkdirSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { mainFile } from "./product.js";
import type { Place, ServerAccess } from "./task.js";

/** A process that stays while an agent works. */
export interface Service {
  readonly pid: number;
  /** When it started, as the system counts it, so that another process with its number is left alone. */
  readonly since: string | undefined;
}

/** What runs for a task. */
export interface Services {
  readonly node: string;
  readonly server?: ServerAccess | undefined;
  readonly processes: readonly Service[];
}

/** Starts a node of the recorded chain, and perhaps a server. They stay until `stopServices`. */
export async function startServices(root: string, hidden: string, needsServer: boolean): Promise<Services> {
  mkdirSync(hidden, { recursive: true });
  const chain = await start([join(root, "test/agents/runner/play-chain.mjs")], hidden, "chain");
  const { url } = JSON.parse(await line(chain, /^\{"url".*\}$/m)) as { readonly url: string };
  if (!needsServer) return { node: url, processes: [chain.service] };
  try {
    const { service, access } = await startServer(root, hidden, url);
    return { node: url, server: access, processes: [chain.service, service] };
  } catch (error) {
    stopServices({ processes: [chain.service] });
    throw error;
  }
}

/** Starts a server with the node. */
async function startServer(
  root: string,
  hidden: string,
  node: string,
): Promise<{ readonly service: Service; readonly access: ServerAccess }> {
  const home = join(hidden, "server-home");
  mkdirSync(home, { recursive: true });
  const args = ["serve", "--port", "0", "--data", join(hidden, "server"), "--rpc", `sepolia=${node}`];
  const served = await start([mainFile(root), ...args, "--log-format", "json"], hidden, "server", {
    HOME: home,
  });
  try {
    const serving = JSON.parse(await line(served, /^\{.*"msg":"serving".*\}$/m)) as Serving;
    const { logins } = JSON.parse(readFileSync(serving.token_file, "utf8")) as Credentials;
    const [login] = Object.values(logins);
    if (!login) throw new Error("the server has stored no key");
    return { service: served.service, access: { api: serving.api, token: login.token } };
  } catch (error) {
    stopServices({ processes: [served.service] });
    throw error;
  }
}

/** Ends what `startServices` has started and is still there. */
export function stopServices({ processes }: Pick<Services, "processes">): void {
  for (const { pid, since } of processes)
    if (since !== undefined && startOf(pid) === since) process.kill(pid, "SIGTERM");
}

/** A place with these services. */
export function placeWith(
  root: string,
  folder: string,
  { node, server }: Omit<Services, "processes">,
): Place {
  return { root, work: join(folder, "work"), hidden: join(folder, "hidden"), node, server };
}

interface Serving {
  readonly api: string;
  readonly token_file: string;
}

interface Credentials {
  readonly logins: Readonly<Record<string, { readonly token: string }>>;
}

interface Started {
  readonly service: Service;
  /** The files with what it prints. */
  readonly log: string;
  readonly errors: string;
  hasEnded(): boolean;
}

async function start(
  args: readonly string[],
  hidden: string,
  name: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Started> {
  const [log, errors] = [join(hidden, `${name}.log`), join(hidden, `${name}.err`)] as const;
  const files = [openSync(log, "w"), openSync(errors, "w")] as const;
  const child = spawn(process.execPath, [...args], {
    cwd: hidden,
    // It outlives the command that started it.
    detached: true,
    env: { PATH: process.env.PATH ?? "", ...env },
    stdio: ["ignore", ...files],
  });
  for (const file of files) closeSync(file);
  await new Promise((resolve, reject) => {
    child.once("spawn", resolve);
    child.once("error", reject);
  });
  child.unref();
  const { pid } = child;
  if (pid === undefined) throw new Error(`${name} has not started`);
  return { service: { pid, since: startOf(pid) }, log, errors, hasEnded: () => child.exitCode !== null };
}

/** Waits for a line that a service prints. @throws Error if the service ends, or after two minutes */
async function line({ log, errors, hasEnded }: Started, pattern: RegExp): Promise<string> {
  for (let attempt = 0; attempt < 1_200; attempt++) {
    const found = pattern.exec(readFileSync(log, "utf8"))?.[0];
    if (found !== undefined) return found;
    if (hasEnded()) break;
    await sleep(100);
  }
  throw new Error(`a service does not answer: ${readFileSync(errors, "utf8")}`);
}

/** When a process started, or `unknown` on a system without `/proc`; undefined if it has ended. */
function startOf(pid: number): string | undefined {
  const file = `/proc/${pid}/stat`;
  if (!existsSync(file)) return existsSync("/proc/self/stat") ? undefined : "unknown";
  // The name of the program, in parentheses, may have blanks.
  return readFileSync(file, "utf8").split(") ").at(-1)?.split(" ")[19];
}
