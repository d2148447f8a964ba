import { afterEach, expect, it } from "vitest";
import type { World } from "../../../../src/base/world.js";
import type { HostedStatus } from "../../../../src/hosting/engine.js";
import type { Figure, MarkKind } from "../../../../src/platform/figures/figure.js";
import { rangeOf } from "../../../../src/platform/figures/ranges.js";
import { type History, readHistory } from "../../../../src/platform/figures/read-history.js";
import type { HistoryFile } from "../../../../src/platform/pages/charts/history-route.js";
import { percentOf } from "../../../../src/platform/pages/charts/marks.js";
import { startServer } from "../../../../src/platform/start-server.js";
import { failing, tokens } from "../../../hosting/hosted.js";
import { moving } from "../../../runtime/token-subgraph.js";
import { Anvil } from "../../../support/chain/anvil.js";
import { onPglite, world as realWorld } from "../../../support/database/databases.js";
import { deployForm, keptOpen } from "../../../support/server/platform-server.js";
import { until } from "../../../support/until.js";

/** Servers measure every half a second, and not every 15. */
const world: World = {
  ...realWorld,
  timeout: (milliseconds) => realWorld.timeout(milliseconds === 15_000 ? 500 : milliseconds),
};
const { fresh } = onPglite();
const page = "/dashboard/moves/1.0.0";
const api = "/api/v1/subgraphs/moves";

/** What to end after a test in any case, the last first. */
const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** A complete server with the subgraph. */
interface Served {
  /** The text of an answer to its owner. */
  ask(path: string, request?: RequestInit): Promise<string>;
  status(): Promise<HostedStatus | undefined>;
  /** Waits until so many lines of the log begin so. */
  logged(beginning: string, count: number): Promise<void>;
  readonly project: string;
  close(): Promise<void>;
}

it("the history of a subgraph marks its events, on a real chain and across restarts of its server", async () => {
  const anvil = await Anvil.start();
  ends.push(() => anvil.stop());
  const { token, bundle } = await tokens(anvil, failing);
  const database = await fresh();
  let key = "";
  /** Starts a server, or the next one on the same database. */
  const start = async (): Promise<Served> => {
    const server = await startServer({
      database: keptOpen(database),
      world,
      secretKey: new Uint8Array(32).fill(7),
      host: "127.0.0.1",
      port: 0,
      version: "0.0.0-test",
      nodes: new Map([["mainnet", [anvil.url]]]),
      engines: { database: "memory", verify: "bloom" },
    });
    ends.push(() => server.close());
    key = server.newKey ?? key;
    const signedIn = await fetch(`${server.address}/sign-in?code=${await server.signInCode()}`, {
      redirect: "manual",
    });
    const headers = {
      authorization: `Bearer ${key}`,
      cookie: String(signedIn.headers.get("set-cookie")).split(";", 1).join(),
    };
    const ask = async (path: string, request?: RequestInit): Promise<string> => {
      const answer = await fetch(`${server.address}${path}`, { headers, ...request });
      const text = await answer.text();
      if (!answer.ok) throw new Error(`${answer.status}: ${text}`);
      return text;
    };
    const engine = server.platform.hosting.engine("embedded");
    return {
      ask,
      status: async () => (await engine.status([bundle.deployment])).get(bundle.deployment),
      logged: async (beginning, count) => {
        await until(async () => {
          const { lines } = await engine.logs(bundle.deployment, { direction: "asc", limit: 1_000 });
          return lines.filter(({ text }) => text.startsWith(beginning)).length === count;
        });
      },
      project: server.project,
      close: () => server.close(),
    };
  };
  /** Mines blocks that no other branch of the chain has, since each moves another amount. */
  let moved = 0n;
  const grow = async (blocks: number): Promise<void> => {
    for (let mined = 0; mined < blocks; mined++)
      await anvil.transact({ to: anvil.account(1), value: ++moved });
  };
  const indexed = async ({ status }: Served): Promise<void> => {
    const head = await anvil.blockNumber();
    await until(async () => (await status())?.headBlock === head);
  };
  /** When something began and when it was over, in milliseconds since 1970. */
  const times = new Map<string, readonly [number, number]>();
  const happens = async (kind: MarkKind, work: () => Promise<void>): Promise<void> => {
    const began = Date.now();
    await work();
    times.set(kind, [began, Date.now()]);
  };
  /** How many events of a kind a server has noticed. Pages show a history for a while before they read it again. */
  const read = async ({ project }: Served): Promise<History> => {
    const version = { project, name: "moves", deployment: bundle.deployment };
    return readHistory(database, version, rangeOf("1h"), Date.now());
  };
  const newest = async (served: Served): Promise<Figure | undefined> => (await read(served)).figures.at(-1);
  const count = async (served: Served, kind: MarkKind): Promise<number> => {
    const { marks } = await read(served);
    return marks.filter((mark) => mark.kind === kind).reduce((sum, mark) => sum + mark.count, 0);
  };

  const first = await start();
  await happens("deploy", async () => {
    const body = deployForm(bundle.zip);
    await first.ask(`${api}/deployments/1.0.0`, { method: "PUT", body });
  });
  await indexed(first);
  const snapshot = await anvil.snapshot();
  await grow(3);
  await indexed(first);
  await happens("reorganisation", async () => {
    await anvil.revert(snapshot);
    await grow(5);
    await first.logged("The chain was reorganised: reverted 3 blocks, back to block", 1);
  });
  await indexed(first);
  await first.close();

  const second = await start();
  await happens("restart", async () => {
    await until(async () => (await count(second, "restart")) === 1);
  });
  await happens("failure", async () => {
    await anvil.transact(moving(anvil, token, 1, 5));
    await second.logged("Failed in the handler", 1);
  });
  await until(async () => (await count(second, "failure")) === 1);
  // A measurement may fall between a block and its failure.
  await until(async () => (await newest(second))?.state === "failed");
  await second.close();

  const third = await start();
  const history: HistoryFile = JSON.parse(await third.ask(`${page}/history.json?range=1h`));
  const { from, to, step, columns, marks } = history;
  expect(marks.map(({ kind, text }) => [kind, text])).toEqual([
    ["deploy", "Deployed 1.0.0"],
    ["reorganisation", "The chain was reorganised, 3 blocks replaced"],
    ["restart", "A server started indexing"],
    ["failure", "Indexing failed"],
  ]);
  for (const { kind, at } of marks) {
    const [began = 0, ended = 0] = times.get(kind) ?? [];
    expect([kind, at >= began, at <= ended]).toEqual([kind, true, true]);
  }
  const block = await anvil.blockNumber();
  expect(columns.findLast((column) => column !== null)).toMatchObject({ state: "failed", block });

  // The page says the same, in its charts, its list and its table.
  const text = await third.ask(`${page}?range=1h`);
  const row = /<svg class="marks".*?<\/svg>\n/s.exec(text)?.[0] ?? "";
  expect(
    [...row.matchAll(/x="([\d.]+)%".*?class="mark (\w+)".*?<title>(.*?)<\/title>/g)].map((all) =>
      all.slice(1),
    ),
  ).toEqual(marks.map(({ kind, at, text }) => [String(percentOf(at, { from, to, step })), kind, text]));
  const list = /<ul class="happened small">(.*?)<\/ul>/s.exec(text)?.[1] ?? "";
  expect([...list.matchAll(/datetime="(.*?)".*?<\/time> (.*?)<\/li>/g)].map((all) => all.slice(1))).toEqual(
    marks.toReversed().map(({ at, text }) => [new Date(at).toISOString(), text]),
  );
  const [latest = ""] = /<tr><td>.*?<\/tr>/.exec(text.slice(text.indexOf("history-figures"))) ?? [];
  // Its lag is the greatest of the minute, which may have been measured before the failure.
  expect(latest.replaceAll(/(<[^>]*>)+/g, "|")).toContain(`|failed|${block}|`);

  // A failed block is tried again from the one before, which is no reorganisation.
  for (const failures of [2, 3]) {
    for (const act of ["pause", "resume"]) await third.ask(`${api}/1.0.0/${act}`, { method: "PUT" });
    await third.logged("Failed in the handler", failures);
    await until(async () => (await count(third, "failure")) === failures);
  }
  expect(await count(third, "reorganisation")).toBe(1);
});
