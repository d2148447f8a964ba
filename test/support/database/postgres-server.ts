import { execFileSync, spawn } from "node:child_process";
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";

/** The location of a server's databases. */
export interface PostgresAddresses {
  /** The address of a database in it. */
  address(database: string): string;
}

/** A PostgreSQL server for a test, initially empty. */
export interface PostgresServer extends PostgresAddresses {
  /** The folder of its socket. */
  readonly folder: string;
  /** Of the process that answers. */
  readonly pid: number | undefined;
  /**
   * Copies the whole server, with pg_basebackup.
   * @returns a failover: the server ends at once, and the copy takes its place
   */
  copy(): () => Promise<void>;
  stop(): Promise<void>;
}

const programs: readonly string[] = [
  ...versionsBelow("/usr/lib/postgresql"),
  ...(process.env.PATH ?? "").split(delimiter),
].filter(
  (folder) => folder !== "" && existsSync(join(folder, "initdb")) && existsSync(join(folder, "postgres")),
);

/** Why no server is available for tests; `undefined` when one is. */
export const postgresMissing: string | undefined = missing();

/**
 * Starts a server whose data is deleted when it ends. It ends with this process at the latest.
 * @param settings of the server, by name; a file whose path they contain is given to the user that runs it
 */
export async function startPostgres(
  settings: Readonly<Record<string, string>> = {},
): Promise<PostgresServer> {
  const [bin] = programs;
  if (bin === undefined || postgresMissing !== undefined) throw new Error(postgresMissing);
  const folder = mkdtempSync(join(tmpdir(), "graphloom-postgres-"));
  const user = serverUser();
  if (user) chownSync(folder, user.uid, user.gid);
  for (const path of Object.values(settings))
    if (user && existsSync(path)) chownSync(path, user.uid, user.gid);
  const data = join(folder, "data");
  const options = { ...user, cwd: folder, env: { PATH: bin, LC_ALL: "C" } };
  const flags = ["-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"];
  execFileSync(join(bin, "initdb"), flags, { ...options, stdio: "pipe" });
  const serve = async (from: string): Promise<RunningPostgres> => {
    const server = spawn(
      join(bin, "postgres"),
      [
        "-D",
        from,
        "-k",
        folder,
        "-c",
        "listen_addresses=",
        "-c",
        "fsync=off",
        "-c",
        "full_page_writes=off",
        "-c",
        "max_connections=200",
        ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]),
      ],
      { ...options, stdio: ["ignore", "ignore", "pipe"] },
    );
    const end = (): void => void server.kill("SIGKILL");
    process.once("exit", end);
    const ended = new Promise((resolve) => server.once("exit", resolve));
    await readiness(server);
    return {
      pid: server.pid,
      stop: async (signal) => {
        process.off("exit", end);
        server.kill(signal);
        await ended;
      },
    };
  };
  let running = await serve(data);
  return {
    ...postgresIn(folder),
    folder,
    get pid() {
      return running.pid;
    },
    copy: () => {
      const copy = mkdtempSync(join(folder, "copy-"));
      if (user) chownSync(copy, user.uid, user.gid);
      const how = ["-X", "stream", "--checkpoint=fast", "--no-sync"];
      execFileSync(join(bin, "pg_basebackup"), ["-h", folder, "-U", "postgres", "-D", copy, ...how], {
        ...options,
        stdio: "pipe",
      });
      return async () => {
        await running.stop("SIGQUIT");
        running = await serve(copy);
      };
    },
    stop: async () => {
      await running.stop("SIGINT");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A process of a server. */
interface RunningPostgres {
  readonly pid: number | undefined;
  stop(signal: "SIGINT" | "SIGQUIT"): Promise<void>;
}

/** The databases of the server whose socket is in a folder. */
export function postgresIn(folder: string): PostgresAddresses {
  return {
    address: (database) => `postgres://postgres@localhost/${database}?host=${encodeURIComponent(folder)}`,
  };
}

/** The output of pg_dump for a database, as a backup. */
export function dumpOf(address: string): string {
  const [bin = ""] = programs;
  return execFileSync(join(bin, "pg_dump"), ["--dbname", address], { encoding: "utf8", maxBuffer: 2 ** 28 });
}

/** Writes a database into a file, with pg_dump. */
export function dumpTo(address: string, file: string): void {
  const [bin = ""] = programs;
  const flags = ["--format=custom", "--file", file, "--dbname", address];
  execFileSync(join(bin, "pg_dump"), flags, { stdio: "pipe" });
}

/** Fills an empty database from a file that `dumpTo` wrote, with pg_restore. */
export function restoreFrom(address: string, file: string): void {
  const [bin = ""] = programs;
  execFileSync(join(bin, "pg_restore"), ["--exit-on-error", "--dbname", address, file], { stdio: "pipe" });
}

function readiness(server: ReturnType<typeof spawn>): Promise<void> {
  return new Promise((resolve, reject) => {
    let said = "";
    server.stderr?.on("data", (chunk) => {
      said += String(chunk);
      if (said.includes("ready to accept connections")) resolve();
    });
    server.once("error", reject);
    server.once("exit", (code) => reject(new Error(`postgres ended with ${code}: ${said}`)));
  });
}

function versionsBelow(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  const versions = readdirSync(folder).sort((a, b) => Number(b) - Number(a));
  return versions.map((version) => join(folder, version, "bin"));
}

function missing(): string | undefined {
  if (programs.length === 0)
    return "PostgreSQL is not installed: no initdb below /usr/lib/postgresql or on the PATH";
  if (process.getuid?.() === 0 && !serverUser())
    return "PostgreSQL refuses to run as root, and there is no other user";
  return undefined;
}

/** The user that runs the server when the tests run as root, because PostgreSQL refuses to run as root. */
function serverUser(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const users = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .map((line) => line.split(":"));
  for (const name of ["postgres", "nobody"]) {
    const found = users.find(([user]) => user === name);
    if (found) return { uid: Number(found[2]), gid: Number(found[3]) };
  }
  return undefined;
}
