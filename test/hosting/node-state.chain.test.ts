import { beforeAll, describe, expect, it } from "vitest";
import { setPaused } from "../../src/platform/subgraphs/versions.js";
import { moving } from "../runtime/token-subgraph.js";
import { useAnvil } from "../support/chain/anvil.js";
import { onPglite } from "../support/database/databases.js";
import { standBefore } from "./doorkeeper.js";
import { amounts, host, indexed, project, tokens, until } from "./hosted.js";

const anvil = useAnvil();
const { fresh } = onPglite();
beforeAll(async () => {
  await fresh();
  await tokens(anvil());
});

const away =
  /^No answer from the node of mainnet since \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC: HTTP status 503: closed$/;

describe("a node that is away", () => {
  it("an unreachable node makes synced deployments unhealthy, with the reason, until it returns", async () => {
    const { token, bundle } = await tokens(anvil());
    const door = await standBefore(anvil().url);
    const lines: string[] = [];
    try {
      const made = await host({
        database: await fresh(),
        nodes: [door.url],
        say: (level, text) => lines.push(`${level}: ${text}`),
      });
      await made.deploy(bundle);
      await indexed(made, bundle);
      const status = () => made.status(bundle.deployment);
      door.isClosed = true;
      const told = await until("it is told", status, (now) => now?.nodeState !== undefined);
      expect(told).toMatchObject({ health: "unhealthy", nodeState: { kind: "away" } });
      expect(told?.nodeState?.why).toMatch(away);
      expect(told?.nonFatalErrors.map(({ message }) => message)).toContain(told?.nodeState?.why);
      expect(await made.engine.nodes?.()).toMatchObject([
        { network: "mainnet", chainId: "31337", isUp: false, head: told?.headBlock },
      ]);
      door.isClosed = false;
      await anvil().transact(moving(anvil(), token, 1, 5));
      await until("it goes on", amounts(made, bundle), (found) => found.length === 1);
      const well = await until("it is told", status, (now) => now?.health === "healthy");
      expect(well?.nodeState).toBeUndefined();
      expect(lines).toEqual([
        expect.stringMatching(/^warn: No answer from the node of mainnet since .*: HTTP status 503: closed$/),
        expect.stringMatching(/^info: The node of mainnet answers again after \d+ s$/),
      ]);
    } finally {
      await door.stop();
    }
  });

  it("an unreachable node is reported as a refused connection, without an HTTP status", async () => {
    const { bundle } = await tokens(anvil());
    const door = await standBefore(anvil().url);
    await door.stop();
    const made = await host({ database: await fresh(), nodes: [door.url] });
    await made.deploy(bundle);
    const said = /^The node of mainnet: the connection was refused \(ECONNREFUSED\); retrying in/;
    await until(
      "it is in the log",
      () => made.log(bundle.deployment),
      (lines) => lines.some((line) => said.test(line)),
    );
  });

  it("an unreachable node does not affect a paused deployment, whose progress survives a restart", async () => {
    const { bundle } = await tokens(anvil());
    const database = await fresh();
    const first = await host({ database, nodes: [anvil().url] });
    await first.deploy(bundle);
    await indexed(first, bundle);
    await setPaused(database, { project, name: "test", version: "1.0.0" }, true);
    await first.hosting.reconcile();
    await first.hosting.close();
    const second = await host({ database, nodes: [anvil().url] });
    await second.hosting.reconcile();
    expect(await second.status(bundle.deployment)).toMatchObject({
      health: "healthy",
      chainHeadBlock: await anvil().blockNumber(),
    });
  });
});

describe("a node that is behind the indexed blocks", () => {
  it("reports a node that is behind the indexed data, with its block", async () => {
    const { bundle } = await tokens(anvil());
    const door = await standBefore(anvil().url);
    try {
      const made = await host({ database: await fresh(), nodes: [door.url] });
      await made.deploy(bundle);
      await anvil().mine(20);
      const block = await anvil().blockNumber();
      const status = () => made.status(bundle.deployment);
      await until("it has all", status, (now) => now?.headBlock === block);
      const old = await anvil().rpc("eth_getBlockByNumber", "0x2", false);
      door.tell = ({ method, params: [tag] }, result) => {
        if (method !== "eth_getBlockByNumber") return result;
        if (tag === "latest") return old;
        return Number(tag) > 2 ? null : result;
      };
      const told = await until("it is told", status, (now) => now?.nodeState?.kind === "behind");
      expect(told?.health).toBe("unhealthy");
      expect(told?.nodeState?.why).toMatch(
        /^The node of mainnet is at block 2, but block \d+ is already indexed$/,
      );
    } finally {
      await door.stop();
    }
  });
});
