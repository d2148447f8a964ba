// A PostgreSQL server of its own for a measurement, whose data goes with it.
import { execFileSync, spawn } from "node:child_process";
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { freePort } from "./process.mjs";

const installed = "/usr/lib/postgresql";
const folders = [
  ...(existsSync(installed) ? readdirSync(installed).map((version) => join(installed, version, "bin")) : []),
  ...(process.env.PATH ?? "").split(delimiter),
];

/** Where the programs of PostgreSQL are; nothing where it is not installed. */
export const postgresPrograms = folders.find((path) => existsSync(join(path, "initdb")));

/** Starts a server with its usual settings. @returns its address, and what ends it */
export async function startPostgres() {
  const folder = mkdtempSync(join(tmpdir(), "graphloom-bench-postgres-"));
  const user = process.getuid?.() === 0 ? await userOf("postgres") : {};
  if (user.uid !== undefined) chownSync(folder, user.uid, user.gid);
  const options = { ...user, cwd: folder, env: { PATH: postgresPrograms, LC_ALL: "C" } };
  const data = join(folder, "data");
  const flags = ["-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C"];
  execFileSync(join(postgresPrograms, "initdb"), flags, { ...options, stdio: "pipe" });
  const port = await freePort();
  const words = ["-D", data, "-k", folder, "-h", "127.0.0.1", "-p", String(port)];
  const server = spawn(join(postgresPrograms, "postgres"), words, {
    ...options,
    stdio: ["ignore", "ignore", "pipe"],
  });
  process.once("exit", () => server.kill("SIGQUIT"));
  await new Promise((resolve, reject) => {
    server.stderr.on("data", (said) => String(said).includes("ready to accept") && resolve());
    server.once("exit", (code) => reject(new Error(`postgres ended with ${code}`)));
  });
  return {
    address: `postgres://postgres@127.0.0.1:${port}/postgres`,
    stop: async () => {
      server.kill("SIGQUIT");
      await new Promise((resolve) => server.once("exit", resolve));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** PostgreSQL does not run as root. */
async function userOf(name) {
  const id = (flag) => Number(execFileSync("id", [flag, name], { encoding: "utf8" }));
  return { uid: id("-u"), gid: id("-g") };
}
