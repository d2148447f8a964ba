import { afterAll, beforeAll, expect, test } from "vitest";
import { type Database, SQL } from "../../../src/store/database/database.js";
import { quoteName } from "../../../src/store/database/quote.js";
import { onPglite } from "../../support/database/databases.js";
import { command, type Ended, home } from "../process.js";
import { startTwin, type Twin } from "./twins.js";

/** Entities of one type: `npm run campaign:compare` has 100,000. */
const entities = Number(process.env.GRAPHLOOM_COMPARE_ENTITIES ?? 5_000);
/** The heap limit in MB; a hundred thousand entities of each side would take 300. */
const memory = 40;

const { fresh } = onPglite();
let database: Database;
let left: Twin;
let right: Twin;

beforeAll(async () => {
  database = await fresh();
  const note = "repeat(md5(g::text), 32)";
  left = await startTwin(database, "QmLeft", entities, { note });
  right = await startTwin(database, "QmRight", entities, { note });
}, 300_000);
afterAll(async () => {
  await left.server.stop();
  await right.server.stop();
});

/** A progress line, which long work prints from time to time. */
const progress = /block 6: \w* ?\d*,? ?\d of 3 types, \d differences\n/g;

function compare(): Promise<Ended> {
  const words = ["compare", left.server.url, right.server.url, "--rate", "1000", "--output", "json"];
  return command([...words, "--state", "c.state"], {
    cwd: home(),
    env: { NODE_OPTIONS: `--max-old-space-size=${memory}` },
  });
}

test("the command compares large deployments in bounded memory, and finds the only field that differs", {
  timeout: 600_000,
}, async () => {
  const same = await compare();
  expect([same.err.replaceAll(progress, ""), same.code]).toEqual(["", 0]);
  expect(JSON.parse(same.out)).toMatchObject({
    equal: true,
    entities: { Transfer: { left: entities, right: entities, different: 0, first: [] } },
  });

  const vid = Math.round(entities * 0.7);
  await database.run(
    SQL`update ${quoteName(right.namespace)}.transfer set price = price + 0.001 where vid = ${vid}`,
  );
  const differing = await compare();
  expect([differing.err.replaceAll(progress, ""), differing.code]).toEqual(["", 4]);
  const { equal, entities: told } = JSON.parse(differing.out);
  expect([equal, told.Account.different, told.Point.different]).toEqual([false, 0, 0]);
  expect(told.Transfer).toMatchObject({
    left: entities,
    right: entities,
    only_left: 0,
    only_right: 0,
    different: 1,
    fields: { price: 1 },
    first: [{ only: null, fields: [{ name: "price" }] }],
  });
  const [{ fields }] = told.Transfer.first;
  expect(JSON.parse(fields[0].right) - JSON.parse(fields[0].left)).toBeCloseTo(0.001, 6);
});
