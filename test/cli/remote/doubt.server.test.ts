import { describe, expect, it } from "vitest";
import type { ProxyFault } from "../../support/network/faulty-proxy.js";
import { deployed, useApi } from "./harness.js";

const api = useApi();

const html = "<html><h1>Sign in</h1></html>";

/** A project with two versions, and with a tag or a webhook if the command is about one. */
async function project(line = "subgraph webhook") {
  const all = await api();
  await deployed(all, "pools", "1.0.0", "2.0.0");
  if (line.startsWith("subgraph tag")) await all.run("subgraph tag create pools/1.0.0 --tag prod");
  if (line.startsWith("subgraph webhook"))
    await all.run(
      `subgraph webhook create pools/1.0.0 --name swaps --url https://example.com/hook --entity pool`,
    );
  all.arrived();
  return {
    all,
    create: `subgraph webhook create pools/1.0.0 --name more --url https://a.b --entity pool`,
  };
}

const changes = [
  ["subgraph pause pools/2.0.0", "Paused pools/2.0.0."],
  ["subgraph update pools/2.0.0 --description x --private-endpoint enabled", "Updated pools/2.0.0."],
  ["subgraph delete pools/2.0.0 --force", "Deleted pools/2.0.0."],
  ["subgraph tag create pools/2.0.0 --tag prod", "pools/prod points to pools/2.0.0: http"],
  ["subgraph tag delete pools/1.0.0 --tag prod --force", "Deleted the tag pools/prod."],
  ["subgraph webhook delete swaps --force", "Deleted the webhook swaps."],
] as const;

/** Faulty answers of a server that made the change. */
const doneAndRude: readonly ProxyFault[] = [
  { kind: "done", status: 500, text: "{}" },
  { kind: "done", status: 504, text: html },
  { kind: "cut-answer" },
  { kind: "done", status: 200, text: html },
];

/** Faulty answers of a server that did not make the change, and whether the client can tell. */
const undoneAndRude: readonly (readonly [ProxyFault, boolean])[] = [
  [{ kind: "status", status: 500, text: "{}" }, true],
  [{ kind: "status", status: 504, text: html }, false],
  [{ kind: "cut" }, false],
  [{ kind: "text", text: html }, false],
];

describe.each(changes)("%s", (line, success) => {
  it.each(doneAndRude)("is reported as done when it was done, despite the answer %j", async (fault) => {
    const { all } = await project(line);
    all.server.rule((method) => (method === "GET" ? undefined : fault));
    const { code, out, err } = await all.run(line);
    expect([code, err]).toEqual([0, ""]);
    expect(out).toContain(success);
    expect(all.arrived().filter((each) => !each.startsWith("GET"))).toHaveLength(1);
  });

  it.each(
    undoneAndRude,
  )("is not reported as done when it was not, after the answer %j", async (fault, isKnown) => {
    const { all } = await project(line);
    all.server.rule((method) => (method === "GET" ? undefined : fault));
    const { code, out, err } = await all.run(line);
    expect([code, out]).toEqual([3, ""]);
    if (isKnown) expect(err).toMatch(/^\S.* \(500\)\n$/);
    else
      expect(err).toMatch(
        /^It is unknown whether .*: [\s\S]+\nCheck .*: graphloom subgraph (list|webhook list).*\n$/,
      );
    expect(all.arrived().filter((each) => !each.startsWith("GET"))).toHaveLength(1);
  });

  it("is not reported as done when the server stops answering", async () => {
    const { all } = await project(line);
    let isAlive = true;
    all.server.rule((method) => {
      if (isAlive && method === "GET") return undefined;
      const answer = isAlive ? 500 : 404;
      isAlive = false;
      return { kind: "done", status: answer, text: html };
    });
    const { code, out, err } = await all.run(line);
    expect([code, out]).toEqual([3, ""]);
    expect(err).toMatch(/^It is unknown whether .*: /);
  });
});

describe("a webhook's lost secret", () => {
  it.each(doneAndRude)("is reported with the way to get a new one, after the answer %j", async (fault) => {
    const { all, create } = await project();
    all.server.rule((method) => (method === "GET" ? undefined : fault));
    const { code, out, err } = await all.run(create);
    expect([code, out]).toEqual([3, ""]);
    expect(err).toBe(
      "The webhook more was created, but the response with its secret was lost, and the secret is shown only once.\n" +
        "Delete it with graphloom subgraph webhook delete more, and create it again.\n",
    );
    all.server.rule(() => undefined);
    expect((await all.run("subgraph webhook delete more -f")).code).toBe(0);
    expect((await all.run(create)).out).toContain("Its secret, shown only once: whs_");
  });

  it("is not reported when the webhook may not exist", async () => {
    const { all, create } = await project();
    all.server.fail({ kind: "status", status: 500, text: "{}" }, { kind: "status", status: 404, text: html });
    const unknown = await all.run(create);
    expect(unknown.err).toContain("It is unknown whether the webhook more was created: ");
    expect(unknown.err).toContain(
      "delete it with graphloom subgraph webhook delete more, and create it again",
    );
    all.server.fail({ kind: "status", status: 500, text: "{}" });
    expect((await all.run(create)).err).toBe("Internal Server Error (500)\n");
  });
});
