import { type ExecFileSyncOptions, execFileSync, spawn } from "node:child_process";
import { chownSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { until } from "../until.js";

/** A MariaDB server for a test, initially empty. */
export interface MariaDbServer {
  /** The address of a database in it, through its socket. */
  address(database: string): string;
  /** Its port on 127.0.0.1. */
  readonly port: number;
  /** The path of its certificate, which is for `localhost`; `undefined` if there is no openssl to make it. */
  readonly certificate: string | undefined;
  stop(): Promise<void>;
}

const programs: readonly string[] = ["/usr/sbin", "/usr/bin", ...(process.env.PATH ?? "").split(delimiter)];

/** Why no server is available for tests; `undefined` when one is. */
export const mariaDbMissing: string | undefined = missing();

/**
 * Starts a server whose data is deleted when it ends. It ends with this process at the latest.
 * @param settings options of `mariadbd`
 */
export async function startMariaDb(settings: readonly string[] = []): Promise<MariaDbServer> {
  if (mariaDbMissing !== undefined) throw new Error(mariaDbMissing);
  const folder = mkdtempSync(join(tmpdir(), "graphloom-mariadb-"));
  const user = serverUser();
  if (user) chownSync(folder, user.uid, user.gid);
  const options = { ...user, cwd: folder, env: { PATH: programs.join(delimiter), LC_ALL: "C" } };
  const flags = [
    "--no-defaults",
    `--datadir=${join(folder, "data")}`,
    "--skip-name-resolve",
    "--innodb-log-file-size=16M",
    "--innodb-flush-log-at-trx-commit=0",
    "--innodb-doublewrite=0",
  ];
  execFileSync(
    programNamed("mariadb-install-db"),
    [...flags, "--auth-root-authentication-method=normal", "--skip-test-db"],
    { ...options, stdio: "pipe" },
  );
  const socket = join(folder, "socket");
  const port = await freePort();
  const certificate = existsSync(programNamed("openssl")) ? makeCertificate(folder, options) : undefined;
  const server = spawn(
    programNamed("mariadbd"),
    [
      ...flags,
      `--socket=${socket}`,
      "--bind-address=127.0.0.1",
      `--port=${port}`,
      `--pid-file=${join(folder, "pid")}`,
      // A server that starts deletes the temporary tables of others in the same folder.
      `--tmpdir=${folder}`,
      ...(certificate === undefined ? [] : [`--ssl-cert=${certificate}`, `--ssl-key=${certificate}.key`]),
      "--max-allowed-packet=1M",
      ...settings,
    ],
    { ...options, stdio: ["ignore", "ignore", "pipe"] },
  );
  let said = "";
  server.stderr.on("data", (chunk) => {
    said += String(chunk);
  });
  const end = (): void => void server.kill("SIGKILL");
  process.once("exit", end);
  const ended = new Promise((resolve) => server.once("exit", resolve));
  await until(() => said.includes("ready for connections") || server.exitCode !== null);
  if (server.exitCode !== null) throw new Error(`mariadbd ended with ${server.exitCode}: ${said}`);
  return {
    port,
    certificate,
    address: (database) => `mysql://root@localhost/${database}?socket=${encodeURIComponent(socket)}`,
    stop: async () => {
      process.off("exit", end);
      server.kill("SIGKILL");
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A port of 127.0.0.1 without a listener. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}

/** Makes a certificate for `localhost`. @returns its path; the key is beside it */
function makeCertificate(folder: string, options: ExecFileSyncOptions): string {
  const path = join(folder, "certificate.pem");
  execFileSync(
    programNamed("openssl"),
    [
      "req",
      "-x509",
      "-newkey",
      "ec",
      "-pkeyopt",
      "ec_paramgen_curve:prime256v1",
      "-nodes",
      "-days",
      "1",
      "-subj",
      "/CN=localhost",
      "-addext",
      "subjectAltName=DNS:localhost",
      "-keyout",
      `${path}.key`,
      "-out",
      path,
    ],
    { ...options, stdio: "pipe" },
  );
  return path;
}

function programNamed(name: string): string {
  return join(programs.find((folder) => existsSync(join(folder, name))) ?? "", name);
}

function missing(): string | undefined {
  const absent = ["mariadbd", "mariadb-install-db"].find((name) => !existsSync(programNamed(name)));
  if (absent !== undefined) return `MariaDB is not installed: no ${absent} in /usr/sbin or on the PATH`;
  if (process.getuid?.() === 0 && !serverUser())
    return "MariaDB refuses to run as root, and there is no other user";
  return undefined;
}

/** The user that runs the server when the tests run as root, because MariaDB refuses to run as root. */
function serverUser(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const users = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .map((line) => line.split(":"));
  for (const name of ["mysql", "nobody"]) {
    const found = users.find(([user]) => user === name);
    if (found) return { uid: Number(found[2]), gid: Number(found[3]) };
  }
  return undefined;
}
