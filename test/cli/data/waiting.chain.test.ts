import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { SQL } from "../../../src/store/database/database.js";
import { openDatabase } from "../../../src/store/open.js";
import { useAnvil } from "../../support/chain/anvil.js";
import { world } from "../../support/database/databases.js";
import { until } from "../../support/until.js";
import { graphloom, workplace } from "../harness.js";

/** Its blocks are final 64 blocks later, as those of Ethereum are. */
const anvil = useAnvil(["--chain-id", "1"]);

const pipeline = (last: number): string => `
name: waits
sources:
  headers: { type: dataset, dataset_name: ethereum.raw_blocks, start_at: earliest, end_block: ${last} }
transforms:
  numbers: { type: sql, primary_key: number, sql: SELECT number FROM headers }
sinks:
  shown: { type: print, from: numbers }
`;

it.each([
  ["data sync", (last: number) => `data sync --chains ethereum --to ${last} --no-natives --data platform`],
  ["pipeline run", () => "pipeline run pipeline.yaml --state state"],
] as const)("%s says at once which block it waits for, and where the chain is", async (_, line) => {
  const head = await anvil().blockNumber();
  const [last, ending] = [head + 20, new AbortController()];
  onTestFinished(() => ending.abort());
  let err = "";
  const cwd = workplace({ "pipeline.yaml": pipeline(last) });
  const running = graphloom(cwd, `${line(last)} --rpc ethereum=${anvil().url}`, {
    signal: ending.signal,
    onErr: (text) => (err += text),
  });
  const final = (number: number): string => `and block ${Math.max(0, number - 64)} is final.`;
  await until(() => err.includes("waiting"));
  expect(err).toContain(
    `mainnet: waiting for block ${last}. The head of the chain is block ${head}, ${final(head)}`,
  );
  await anvil().mine(20);
  await until(() => err.includes("is final. The"));
  expect(err).toContain(
    `mainnet: waiting until block ${last} is final. The head of the chain is block ${last}, ${final(last)}`,
  );
  await anvil().mine(70);
  const { code } = await running;
  // Each is said once, however many tables there are and however long it takes.
  expect([code, err.match(/waiting (for|until) block/g)]).toEqual([
    0,
    ["waiting for block", "waiting until block"],
  ]);
  if (!line(last).startsWith("data sync")) return;
  // All blocks are final now, so clients may keep answers.
  const database = await openDatabase(join(cwd, "platform", "database"), world);
  onTestFinished(() => database.close());
  expect(await database.query(SQL`select number from graphloom_flows.open_blocks`)).toEqual([]);
  const places = await database.query(SQL`select next from graphloom_flows.positions`);
  expect(places.map(({ next }) => next)).toEqual(places.map(() => String(last + 1)));
  expect(places.length).toBeGreaterThan(1);
});

it("data sync keeps blocks after its last one open", async () => {
  const cwd = workplace({});
  await anvil().mine(80);
  const head = await anvil().blockNumber();
  const begun = new AbortController();
  onTestFinished(() => begun.abort());
  const sync = (last: number): string =>
    `data sync --chains ethereum --to ${last} --no-natives --data platform --rpc ethereum=${anvil().url}`;
  let err = "";
  const further = graphloom(cwd, sync(head + 5), { signal: begun.signal, onErr: (text) => (err += text) });
  await until(() => err.includes("waiting for block"));
  begun.abort();
  await further;
  const last = head - 70;
  expect((await graphloom(cwd, sync(last))).code).toBe(0);
  const database = await openDatabase(join(cwd, "platform", "database"), world);
  onTestFinished(() => database.close());
  const [open] = await database.query(SQL`select min(number) as first from graphloom_flows.open_blocks`);
  expect(Number(open?.first)).toBeGreaterThan(last);
});
