// Measures dump and restore of a deployment in PostgreSQL against pg_dump | psql in the same run: seconds, rows per second and
// the most memory of our process.
// Run: npm run bench:dumps [-- <rows>]; 500,000 rows by default. Requires PostgreSQL on this machine.
import { execSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { SQL } from "../dist/store/database/database.js";
import { quoteNames } from "../dist/store/database/quote.js";
import { postgresPrograms, startPostgres } from "./disposable-postgres.mjs";
import { openEmptyDeployment } from "./open-deployment.mjs";
import { measure, median } from "./process.mjs";

const rows = Number(process.argv[2] ?? 500_000);
const rounds = Number(process.env.ROUNDS ?? 3);
const root = fileURLToPath(new URL("..", import.meta.url));
const main = join(root, "dist/cli/main.js");
const deployment = "QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPbdG";
const schema = `
  type Account @entity { id: Bytes! balance: BigInt! name: String }
  type Transfer @entity(immutable: true) {
    id: Bytes! from: Bytes! to: Bytes! value: BigInt! price: BigDecimal! time: Timestamp! tags: [String!]!
  }`;
if (!postgresPrograms) {
  console.error("PostgreSQL is not installed.");
  process.exit(1);
}

/** A deployment with its rows: each fifth is a version of an account, all others are transfers. */
async function fillDeployment(address) {
  const { database, namespace, end } = await openEmptyDeployment(address, deployment, schema);
  const table = (name) => quoteNames(namespace, name);
  await database.run(SQL`
    insert into ${table("account")} (vid, block_range, id, balance, name)
      select g, int4range(g, case when g % 2 = 0 then g + 1 end), decode(lpad(to_hex(g / 2), 40, '0'), 'hex'),
        g::numeric * 10 ^ 18, 'account ' || g from generate_series(2, ${Math.floor(rows / 5)}) g;
    insert into ${table("transfer")} (vid, "block$", id, "from", "to", value, price, time, tags)
      select g, g / 100 + 1, decode(lpad(to_hex(g), 64, '0'), 'hex'), decode(lpad(to_hex(g % 9999), 40, '0'), 'hex'),
        decode(lpad(to_hex(g % 7777), 40, '0'), 'hex'), g::numeric * 10 ^ 15, g / 8.0,
        to_timestamp(1700000000 + g), array['tag ' || g % 50] from generate_series(1, ${Math.floor((rows * 4) / 5)}) g;`);
  await end(rows);
  return namespace;
}

const server = await startPostgres();
const folder = mkdtempSync(join(tmpdir(), "graphloom-bench-dumps-"));
const at = (name) => server.address.replace(/\/postgres$/, `/${name}`);
const psql = (database, statement) =>
  spawnSync(join(postgresPrograms, "psql"), ["-q", "-d", at(database), "-c", statement], { stdio: "pipe" });
const timed = (work) => {
  const start = performance.now();
  work();
  return (performance.now() - start) / 1000;
};
try {
  psql("postgres", "create database bench");
  const namespace = await fillDeployment(at("bench"));
  psql("bench", "analyze");
  const found = { dump: [], restore: [], peer: [] };
  for (let round = 0; round < rounds; round++) {
    const [ours, theirs, dumped] = [`ours${round}`, `theirs${round}`, join(folder, `dump${round}`)];
    for (const name of [ours, theirs]) psql("postgres", `create database ${name}`);
    psql(theirs, "create extension btree_gist");
    found.dump.push(measure(folder, [main, "dump", deployment, dumped, "--database", at("bench")]));
    found.restore.push(measure(folder, [main, "restore", dumped, "--database", at(ours)]));
    const pipe = `${postgresPrograms}/pg_dump -n ${namespace} "${at("bench")}" | ${postgresPrograms}/psql -q -v ON_ERROR_STOP=1 "${at(theirs)}"`;
    found.peer.push({ seconds: timed(() => execSync(pipe, { stdio: "pipe", shell: "/bin/bash" })) });
    for (const name of [ours, theirs]) psql("postgres", `drop database ${name} with (force)`);
    rmSync(dumped, { recursive: true });
    console.error(`round ${round + 1} of ${rounds}`);
  }
  const middle = (all, of) => median(all.map((one) => one[of]));
  console.log(`${rows} rows, medians of ${rounds}`);
  for (const name of ["dump", "restore"]) {
    const seconds = middle(found[name], "seconds");
    const peak = Math.round(Math.max(...found[name].map(({ megabytes }) => megabytes)));
    console.log(
      `${name}: ${seconds.toFixed(2)} s, ${Math.round(rows / seconds)} rows/s, ${middle(found[name], "cpu").toFixed(2)} s of CPU, peak ${peak} MB`,
    );
  }
  const both = found.dump.map((one, index) => one.seconds + found.restore[index].seconds);
  const ratio = median(both.map((seconds, index) => seconds / found.peer[index].seconds));
  console.log(`pg_dump | psql: ${middle(found.peer, "seconds").toFixed(2)} s`);
  console.log(`dump and restore take ${ratio.toFixed(2)} times as long as pg_dump | psql`);
} finally {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}
process.exit(0);
