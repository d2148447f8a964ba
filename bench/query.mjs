// Measures queries over many entities: a list with a filter, an order and a nested list, alone and from many clients.
// The CPU is that of this process, in which PGlite works, too; a server's comes on top.
// Run: node bench/query.mjs [<folder or postgres:// address>] [<entities>]; without a place PGlite in memory.
import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { createQueryEngine } from "../dist/query/engine.js";
import { openDatabase } from "../dist/store/open.js";
import { createTables } from "../dist/store/tables/create-tables.js";
import { layOut } from "../dist/store/tables/lay-out.js";
import { readEntitySchema } from "../dist/subgraph/schema/read-entity-schema.js";

const [place = "", count = "100000"] = process.argv.slice(2);
const entities = Number(count);
const clients = 32;
const rounds = 300;

const schema = `
  type Account @entity {
    id: Bytes!
    name: String!
    active: Boolean!
    balance: BigInt!
    sent: [Transfer!]! @derivedFrom(field: "from")
  }
  type Transfer @entity(immutable: true) {
    id: Bytes!
    from: Account!
    to: Account!
    value: BigInt!
    time: Int!
  }
`;

const queries = {
  "a plain list of 100": "{ accounts(first: 100) { id name balance } }",
  "100, filtered and ordered":
    '{ accounts(first: 100, orderBy: balance, orderDirection: desc, where: { active: true, balance_lt: "900000" }) { id name balance } }',
  "100, filtered and ordered, each with a list of 5 and what it refers to":
    '{ accounts(first: 100, orderBy: balance, orderDirection: desc, where: { active: true, balance_lt: "900000" }) ' +
    '{ id name balance sent(first: 5, orderBy: time, where: { value_gt: "10" }) { id value to { id name } } } }',
  "one, by its id": '{ account(id: "0x00000001") { id name balance } }',
};

const account = (n) => `decode(lpad(to_hex(${n}), 8, '0'), 'hex')`;

async function fill(database) {
  const layout = layOut(readEntitySchema(schema), "bench_query");
  await database.run("create extension if not exists btree_gist; drop schema if exists bench_query cascade");
  await database.run(createTables(layout));
  await database.run(`
    insert into bench_query.account (vid, block_range, id, name, active, balance)
    select n, case when n % 5 = 0 then '[1,5)'::int4range else '[1,)'::int4range end,
      ${account("n")}, 'account ' || n, n % 2 = 0, (n * 7919) % 1000003
    from generate_series(1::bigint, ${entities}) n;
    insert into bench_query.account (vid, block_range, id, name, active, balance)
    select ${entities} + n, '[5,)', ${account("n")}, 'account ' || n, n % 2 = 0, (n * 7919) % 1000003
    from generate_series(5::bigint, ${entities}, 5) n;
    insert into bench_query.transfer (vid, block$, id, "from", "to", value, time)
    select n, 1 + n % 9, ${account("n")}, ${account(`1 + (n * 31) % ${entities}`)},
      ${account(`1 + (n * 17) % ${entities}`)}, n % 1000, n
    from generate_series(1::bigint, ${entities} * 3) n;
    analyze bench_query.account; analyze bench_query.transfer`);
  return layout;
}

const place100 = (sorted, part) =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))].toFixed(2);

async function alone(engine, query) {
  const times = [];
  for (let round = 0; round < rounds; round++) {
    const begin = performance.now();
    const { errors } = await engine.execute({ query });
    if (errors) throw new Error(errors[0].message);
    if (round >= rounds / 10) times.push(performance.now() - begin);
  }
  return times.sort((a, b) => a - b);
}

async function together(engine, query) {
  const begin = performance.now();
  let left = rounds * 4;
  const client = async () => {
    while (left-- > 0) await engine.execute({ query });
  };
  await Promise.all(Array.from({ length: clients }, client));
  return (rounds * 4 * 1000) / (performance.now() - begin);
}

const world = { now: () => Date.now(), sleep, timeout: (milliseconds) => AbortSignal.timeout(milliseconds) };
const database = await openDatabase(place || undefined, world);
try {
  const layout = await fill(database);
  const head = { number: 10, hash: `0x${"10".repeat(32)}` };
  const deployment = {
    id: "QmBench",
    schema,
    layout,
    state: async () => ({ head, earliestBlock: 0 }),
    blockOfHash: async () => undefined,
  };
  const engine = createQueryEngine({ database, deployment, world });
  console.log(`${database.provider}, ${entities} entities`);
  for (const [name, query] of Object.entries(queries)) {
    const before = process.cpuUsage();
    const times = await alone(engine, query);
    const { user, system } = process.cpuUsage(before);
    const cpu = ((user + system) / 1000 / rounds).toFixed(2);
    const rate = await together(engine, query);
    console.log(
      `${name}: p50 ${place100(times, 0.5)} ms, p99 ${place100(times, 0.99)} ms, ${cpu} ms of CPU here, ${rate.toFixed(0)} requests/s at ${clients} clients`,
    );
  }
} finally {
  await database.close();
}
