import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, inject, it } from "vitest";
import { type Database, SQL } from "../../../src/store/database/database.js";
import { quoteName } from "../../../src/store/database/quote.js";
import { openDatabase } from "../../../src/store/open.js";
import { Anvil } from "../../support/chain/anvil.js";
import { serverDatabase, world } from "../../support/database/databases.js";
import { postgresMissing } from "../../support/database/postgres-server.js";
import { testFolder } from "../../support/folder.js";
import { type Draw, drawFrom } from "../../support/pool/draw.js";
import { propertySeed } from "../../support/property/property-run.js";
import { type Away, openDoor, openTableReceiver } from "../../support/server/away.js";
import { until } from "../../support/until.js";
import { Ledger } from "./ledger.js";
import { killServed, type Served, startServed } from "./served.js";

/** In `npm run campaign:pipelines`, there are five pipelines instead of two, and more kills. */
const isCampaign = process.env.GRAPHLOOM_PIPELINE_KILLS !== undefined;
const kills = Number(process.env.GRAPHLOOM_PIPELINE_KILLS ?? 1);

/** A pipeline that has three sinks. */
interface Flow {
  readonly name: string;
  readonly source: string;
  readonly query: string;
  readonly columns: readonly string[];
  /** The rows that follow from the chain as it is, in any order. */
  expected(): Promise<readonly Row[]> | readonly Row[];
}
/** Values in the order of the columns, as text. */
type Row = readonly string[];

/** What to end after the test in any case, the last first. */
const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});
const closing = <Closable extends { stop(): Promise<void> }>(one: Closable): Closable => {
  ends.push(() => one.stop());
  return one;
};

it.skipIf(postgresMissing !== undefined)(
  "pipelines neither lose nor repeat rows when their server is killed at random moments",
  { timeout: 300_000 + 60_000 * kills },
  async () => {
    const draw = drawFrom(propertySeed);
    const anvil = closing(await Anvil.start());
    const ledger = await Ledger.start(anvil, draw, { accounts: 20, block: 5 });
    const flows = flowsOf(anvil, ledger);
    const database = await serverDatabase();
    const targets = [await serverDatabase(), await serverDatabase()];
    const socket = `${inject("postgresFolder")}/.s.PGSQL.5432`;
    const doors = [closing(await openDoor(socket)), closing(await openDoor(socket))];
    const receiver = closing(await openTableReceiver());
    const places: readonly Away[] = [...doors, receiver];
    const home = testFolder();
    const start = async (): Promise<Served> => {
      const served = await startServed(["--data", "data", "--rpc", `anvil=${anvil.url}`], home, {
        GRAPHLOOM_DATABASE: database,
      });
      ends.push(() => killServed(served));
      return served;
    };
    let served = await start();
    await served.deploy(await ledger.files("anvil"));
    for (const [index, target] of targets.entries())
      await send(served, "POST", "/secrets", {
        name: `TARGET_${index}`,
        value: {
          type: "jdbc",
          protocol: "postgres",
          host: "127.0.0.1",
          port: doors[index]?.port,
          databaseName: /\/([^/?]+)\?/.exec(target)?.[1],
          user: "postgres",
          password: "p",
        },
      });
    for (const flow of flows)
      await send(served, "PUT", `/pipelines/${flow.name}/definition`, {
        text: definition(flow, receiver.port),
      });

    let isOver = false;
    const chain = grow(ledger, draw, () => isOver);
    for (let kill = 0; kill < kills; kill++) {
      // One of four is killed while it recovers.
      if (draw.happens(0.75)) await until(() => allRun(served, flows).catch(cutOff));
      await sleep(draw.below(isCampaign ? 3_000 : 1_000));
      served.child.kill("SIGKILL");
      await served.ended;
      for (const [index, place] of places.entries()) place.isAway = index === kill % places.length;
      served = await start();
    }
    for (const place of places) place.isAway = false;
    isOver = true;
    await chain;

    const held = await Promise.all(targets.map((target) => openDatabase(target, world)));
    for (const one of held) ends.push(() => one.close());
    for (const flow of flows) {
      const expected = inOrder(await flow.expected());
      expect(expected.length).toBeGreaterThan(0);
      const reads = [
        ...held.map((one) => () => rowsIn(one, flow)),
        async () =>
          [...(receiver.tables.get(`/${flow.name}`)?.values() ?? [])].map((row) => rowOf(flow, row)),
      ];
      for (const [index, read] of reads.entries()) {
        const text = JSON.stringify(expected);
        await until(async () => JSON.stringify(inOrder(await read().catch(() => []))) === text).catch(
          () => undefined,
        );
        expect([flow.name, index, inOrder(await read())]).toEqual([flow.name, index, expected]);
      }
      const [one, other] = await Promise.all(held.map((each) => ledgerOf(each, flow)));
      expect([flow.name, one?.rows, one]).toEqual([flow.name, String(expected.length), other]);
    }
  },
);

/** Logs of the chain and entities of a subgraph. */
function flowsOf(anvil: Anvil, ledger: Ledger): readonly Flow[] {
  const entity = (name: string): string =>
    `{ type: subgraph_entity, name: ${name}, start_at: earliest, subgraphs: [{ name: demo, version: 1.0.0 }] }`;
  const rows = (kind: "accounts" | "moves", columns: readonly string[]) => (): readonly Row[] =>
    ledger.expected()[kind].map((row) => columns.map((column) => String(row[column])));
  const logs = ["logs", ...(isCampaign ? ["logs2", "logs3"] : [])].map((name): Flow => {
    const columns = ["block_number", "data"];
    return {
      name,
      columns,
      query: `SELECT id, ${columns.join(", ")} FROM given`,
      source: "{ type: dataset, dataset_name: anvil.raw_logs, start_at: earliest }",
      expected: () => logsOf(anvil, ledger),
    };
  });
  const accounts = ["id", "balance", "moves"];
  const moves = ["id", "account", "balance"];
  return [
    ...logs,
    {
      name: "accounts",
      source: entity("Account"),
      columns: accounts,
      query: "SELECT id, balance, moves FROM given",
      expected: rows("accounts", accounts),
    },
    ...(isCampaign
      ? [
          {
            name: "moves",
            source: entity("Move"),
            columns: moves,
            query: "SELECT id, account, balance FROM given",
            expected: rows("moves", moves),
          },
        ]
      : []),
  ];
}

function definition({ name, source, query }: Flow, port: number): string {
  return `
name: ${name}
resource_size: xs
sources:
  given: ${source}
transforms:
  made: { sql: "${query}", primary_key: id }
sinks:
  one: { type: postgres, from: made, table: ${name}, secret_name: TARGET_0 }
  other: { type: postgres, from: made, table: ${name}, secret_name: TARGET_1 }
  told: { type: webhook, from: made, url: "http://127.0.0.1:${port}/${name}" }
`;
}

async function send({ ask }: Served, method: string, path: string, body: object): Promise<void> {
  const headers = { "content-type": "application/json" };
  const answer = await ask(`/api/v1${path}`, { method, headers, body: JSON.stringify(body) });
  expect([answer.ok, answer.ok || (await answer.text())]).toEqual([true, true]);
}

/** Whether all pipelines run, with some sinks that are away perhaps. Neither they nor the server may have ended. */
async function allRun({ ask, child, printed }: Served, flows: readonly Flow[]): Promise<boolean> {
  const { exitCode, signalCode } = child;
  if (exitCode !== null || signalCode !== null)
    throw new Error(
      `the server ended with ${exitCode ?? signalCode}: ${printed().err || printed().out.slice(-2_000)}`,
    );
  const statuses = await Promise.all(
    flows.map(async ({ name }) => {
      const { data } = (await (await ask(`/api/v1/pipelines/${name}/info`)).json()) as {
        readonly data: { readonly runtime_status: string; readonly error: unknown };
      };
      expect([name, data.error]).toEqual([name, null]);
      return data.runtime_status;
    }),
  );
  return statuses.every((status) => status === "RUNNING" || status === "FAILING");
}

/** A server that ends cuts connections a moment before its end is known. */
async function cutOff(error: unknown): Promise<false> {
  if (!(error instanceof TypeError)) throw error;
  return false;
}

/** Adds blocks, and replaces some of them, until it is over. */
async function grow(ledger: Ledger, draw: Draw, isOver: () => boolean): Promise<void> {
  for (let round = 0; !isOver() || round < 10; round++) {
    await ledger.grow(8);
    if (draw.happens(0.2)) {
      await ledger.doom();
      await ledger.grow(1 + draw.below(20));
      await sleep(draw.below(1_000));
      await ledger.reorganise();
    }
    await sleep(isCampaign ? 500 : 100);
  }
}

async function logsOf(anvil: Anvil, { address }: Ledger): Promise<readonly Row[]> {
  const logs = await anvil.rpc<readonly { readonly blockNumber: string; readonly data: string }[]>(
    "eth_getLogs",
    { address, fromBlock: "0x0", toBlock: "latest" },
  );
  return logs.map(({ blockNumber, data }) => [String(Number(blockNumber)), data]);
}

async function rowsIn(database: Database, flow: Flow): Promise<readonly Row[]> {
  const rows = await database.query(SQL`select * from ${quoteName(flow.name)}`);
  return rows.map((row) => rowOf(flow, row));
}

function rowOf({ columns }: Flow, row: Readonly<Record<string, unknown>>): Row {
  return columns.map((column) => String(row[column]));
}

function inOrder(rows: readonly Row[]): readonly Row[] {
  const text = (row: Row): string => row.join();
  return rows.toSorted((one, other) => (text(one) < text(other) ? -1 : 1));
}

/** What the ledger of a sink adds up to. */
async function ledgerOf(database: Database, { name }: Flow): Promise<{ rows: string; sum: string }> {
  const [row] = await database.query(
    SQL`select sum(rows)::text as rows, mod(sum(sum), 340282366920938463463374607431768211456)::text as sum
      from graphloom_flows.ledger where flow like '%/' || $1::text`,
    [name],
  );
  return { rows: row?.rows ?? "", sum: row?.sum ?? "" };
}
