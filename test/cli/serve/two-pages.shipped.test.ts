import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, it } from "vitest";
import { Anvil } from "../../support/chain/anvil.js";
import { serverDatabase } from "../../support/database/databases.js";
import { postgresMissing } from "../../support/database/postgres-server.js";
import { testFolder } from "../../support/folder.js";
import { drawFrom } from "../../support/pool/draw.js";
import { until } from "../../support/until.js";
import { Ledger } from "./ledger.js";
import { killServed, type Served, startServed } from "./served.js";

/** What to end after a test in any case, the last first. */
const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** One node that several servers ask, each at a path of its own. */
interface CountingNode {
  readonly url: string;
  /** How many requests came to a path. */
  asked(path: string): number;
  /** The path that is told, with status 429, to ask less often. */
  throttled: string | undefined;
}

async function countBefore(node: string): Promise<CountingNode> {
  const counts = new Map<string, number>();
  const server = createServer(async (request, response) => {
    const path = request.url ?? "";
    counts.set(path, (counts.get(path) ?? 0) + 1);
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece);
    if (path === counting.throttled) return void response.writeHead(429).end();
    const headers = { "content-type": "application/json" };
    const answer = await fetch(node, { method: "POST", headers, body: Buffer.concat(pieces) });
    response.writeHead(answer.status, headers).end(await answer.text());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  ends.push(async () => {
    server.closeAllConnections();
    server.close();
  });
  const counting: CountingNode = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked: (path) => counts.get(path) ?? 0,
    throttled: undefined,
  };
  return counting;
}

/** The requests that a server has counted. */
interface Counted {
  readonly requests: number;
  readonly throttled: number;
}

/** An entry of the audit log. */
interface Act {
  readonly actor: { readonly id: string };
  readonly action: string;
  readonly subject: string;
}

it.skipIf(postgresMissing !== undefined)(
  "two servers on one database show the same audit log, and each counts only its own requests to nodes",
  async () => {
    const anvil = await Anvil.start();
    ends.push(() => anvil.stop());
    const ledger = await Ledger.start(anvil, drawFrom(1), { accounts: 5, block: 5 });
    const node = await countBefore(anvil.url);
    const home = testFolder();
    const environment = { GRAPHLOOM_DATABASE: await serverDatabase() };
    const start = async (path: string): Promise<Served> => {
      const served = await startServed(
        ["--data", "data", "--rpc", `sepolia=${node.url}${path}`],
        home,
        environment,
      );
      ends.push(() => killServed(served));
      return served;
    };
    const [one, other] = [await start("/one"), await start("/other")];
    const servers = [one, other] as const;

    // A key signs in at one server, and its session is good for both.
    const form = { method: "POST", redirect: "manual" } as const;
    const signedIn = await fetch(`${one.address}/sign-in`, {
      ...form,
      headers: { origin: one.address },
      body: new URLSearchParams({ key: one.token }),
    });
    const [cookie = ""] = String(signedIn.headers.get("set-cookie")).split(";");
    const page = async ({ address }: Served, path: string): Promise<string> => {
      const answer = await fetch(`${address}${path}`, { headers: { cookie } });
      expect([path, answer.status, answer.redirected]).toEqual([path, 200, false]);
      return answer.text();
    };
    /** The texts of the cells of a table on a page. */
    const rows = async (served: Served, path: string): Promise<readonly (readonly string[])[]> => {
      const [table = ""] = /<tbody>.*?<\/tbody>/s.exec(await page(served, path)) ?? [];
      return [...table.matchAll(/<tr.*?<\/tr>/gs)].map(([row]) =>
        [...row.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/gs)].map(([, cell = ""]) =>
          cell.replaceAll(/<[^>]*>/g, "").trim(),
        ),
      );
    };
    const acts = async (served: Served): Promise<readonly Act[]> => {
      const answer = await served.ask(`/api/v1/projects/${served.project}/audit`);
      return JSON.parse(await answer.text()).data;
    };
    const nodes = async (served: Served): Promise<Counted> => {
      const { data } = JSON.parse(await (await served.ask("/api/v1/nodes")).text());
      return data[0].nodes[0];
    };
    const change = async (served: Served, method: string, path: string, body?: object): Promise<void> => {
      const headers = { "content-type": "application/json" };
      const answer = await served.ask(`/api/v1${path}`, {
        method,
        ...(body && { headers, body: JSON.stringify(body) }),
      });
      expect([path, answer.ok, await answer.text()]).toEqual([path, true, expect.anything()]);
    };
    await one.deploy(await ledger.files());
    await ledger.grow(30);
    await one.indexed(await anvil.blockNumber());
    const value = { type: "httpauth", secretKey: "x-key", secretValue: "hidden" };
    await change(other, "POST", "/secrets", { name: "RECEIVER", value });
    await change(other, "PUT", "/subgraphs/demo/1.0.0/pause");
    await change(one, "PUT", "/subgraphs/demo/1.0.0/resume");
    const noted = [
      ["session.begin", "browser, with a key"],
      ["subgraph.deploy", "demo/1.0.0"],
      ["secret.create", "RECEIVER"],
      ["subgraph.pause", "demo/1.0.0"],
      ["subgraph.resume", "demo/1.0.0"],
    ].reverse();
    const [by = "", ...more] = new Set((await acts(one)).map(({ actor }) => actor.id));
    expect([by, more]).toEqual([expect.stringMatching(/^key_/), []]);
    for (const served of servers) {
      expect((await acts(served)).map(({ action, subject }) => [action, subject])).toEqual(noted);
      const shown = (await rows(served, "/audit")).map(([, who, ...act]) => [who, ...act]);
      expect(shown).toEqual(noted.map((act) => ["made by graphloom serve", ...act, "127.0.0.1"]));
      expect(await rows(served, `/audit?by=${by}&action=secret`)).toHaveLength(1);
    }

    // The requests that came from a server are those that it shows, whatever the other one has sent to the same node.
    const paths = new Map([
      [one, "/one"],
      [other, "/other"],
    ]);
    for (const [served, path] of paths)
      await expect.poll(async () => (await nodes(served)).requests - node.asked(path)).toBe(0);
    for (const path of paths.values()) expect([path, node.asked(path) > 0]).toEqual([path, true]);
    node.throttled = "/other";
    await until(async () => (await nodes(other)).throttled > 0);
    for (const [served, path] of paths) {
      const host = node.url.replace("http://", "");
      const isThrottled = path === node.throttled;
      const shown = await until(async () => {
        const [row = []] = await rows(served, "/nodes");
        return Number.parseInt(row[4] ?? "", 10) === node.asked(path) && row;
      });
      expect(shown[2]).toBe("demo/1.0.0");
      expect(shown[3]).toMatch(new RegExp(`^${host}${isThrottled ? "throttles" : "answers"}`));
      expect([path, shown[5], Number(shown[6]) > 0]).toEqual([path, "0", isThrottled]);
    }
  },
  300_000,
);
