// Dumps and restores a table of many gigabytes, where the restore is killed once on its way, and says how long it takes and how
// much memory our process holds. The rows of both databases are compared by a digest.
// Run: npm run bench:large-dump [-- <gigabytes>]; 20 by default. Requires PostgreSQL, and twice as much free disk.
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { SQL } from "../dist/store/database/database.js";
import { quoteNames } from "../dist/store/database/quote.js";
import { postgresPrograms, startPostgres } from "./disposable-postgres.mjs";
import { openEmptyDeployment } from "./open-deployment.mjs";
import { measure } from "./process.mjs";

const gigabytes = Number(process.argv[2] ?? 20);
const bytesOfRow = 4096;
const rows = Math.floor((gigabytes * 1e9) / bytesOfRow);
const main = join(fileURLToPath(new URL("..", import.meta.url)), "dist/cli/main.js");
const deployment = "QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPbdG";
const schema = "type Blob @entity(immutable: true) { id: Bytes! data: Bytes! n: BigInt! }";
if (!postgresPrograms) {
  console.error("PostgreSQL is not installed.");
  process.exit(1);
}

const server = await startPostgres();
const folder = mkdtempSync(join(tmpdir(), "graphloom-bench-large-"));
const at = (name) => server.address.replace(/\/postgres$/, `/${name}`);
const psql = (database, statement) => {
  const flags = ["-q", "-t", "-A", "-v", "ON_ERROR_STOP=1", "-d", at(database), "-c", statement];
  const { status, stdout, stderr } = spawnSync(join(postgresPrograms, "psql"), flags, { encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
  return stdout.trim();
};
const say = (text) => console.log(`${new Date().toISOString().slice(11, 19)} ${text}`);
const digest = (database, namespace) =>
  psql(
    database,
    `select count(*), sum(('x' || substr(md5(id || data), 1, 15))::bit(60)::bigint % 1000003 * (vid % 97 + 1)), sum(n), max("block$")
       from ${namespace}.blob`,
  );

/** Fills a table with bytes that cannot be compressed, a million at a time. @returns its namespace */
async function fill() {
  const { database, namespace, end } = await openEmptyDeployment(at("source"), deployment, schema);
  await database.run(SQL`create extension pgcrypto`);
  const table = quoteNames(namespace, "blob");
  for (let first = 1; first <= rows; first += 1_000_000)
    await database.run(SQL`insert into ${table} (vid, "block$", id, data, n)
      select g, g / 100 + 1, decode(lpad(to_hex(g), 64, '0'), 'hex'),
        gen_random_bytes(1024) || gen_random_bytes(1024) || gen_random_bytes(1024) || gen_random_bytes(1024), g
      from generate_series(${first}, ${Math.min(rows, first + 999_999)}) g`);
  await end(rows);
  return namespace;
}

/** Kills a command once the database has some rows. */
async function killed(words, hasBegun) {
  const child = spawn(process.execPath, words, { stdio: "ignore" });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  while (child.exitCode === null && !hasBegun()) await new Promise((resolve) => setTimeout(resolve, 500));
  child.kill("SIGKILL");
  await ended;
}

try {
  for (const name of ["source", "target"]) psql("postgres", `create database ${name}`);
  const namespace = await fill();
  const before = digest("source", namespace);
  const size = psql("source", `select pg_size_pretty(pg_total_relation_size('${namespace}.blob'))`);
  say(`${rows} rows, ${size} with indexes`);
  const dump = join(folder, "dump");
  const shown = (name, { seconds, cpu, megabytes }) =>
    say(
      `${name}: ${seconds.toFixed(0)} s, ${Math.round(rows / seconds)} rows/s, ${((rows * bytesOfRow) / 1e6 / seconds).toFixed(0)} MB/s, ${cpu.toFixed(0)} s of CPU, peak ${Math.round(megabytes)} MB`,
    );
  shown("dump", measure(folder, [main, "dump", deployment, dump, "--database", at("source")]));
  psql("postgres", "drop database source with (force)");
  const words = [main, "restore", dump, "--database", at("target")];
  const loaded = () => {
    try {
      return Number(psql("target", `select coalesce(max(vid), 0) from ${namespace}.blob`));
    } catch {
      // The tables are not there yet.
      return 0;
    }
  };
  await killed(words, () => loaded() > rows / 4);
  say(`restore: killed after ${loaded()} rows`);
  shown("restore, continued", measure(folder, words));
  const after = digest("target", namespace);
  if (after !== before) throw new Error(`the rows differ: ${before} before, ${after} after`);
  say("the rows are equal");
} finally {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}
process.exit(0);
