import { describe, expect, it } from "vitest";
import { filesBelow } from "../process.js";
import { type Api, deployed, useApi } from "./harness.js";

const api = useApi();

/*
 * Other tests run the commands for servers in the test process. This file shows that this is enough: the shipped
 * program prints the same, sends the same requests and ends with the same exit code.
 */

const webhook = "subgraph webhook create pools/1.0.0 --name swaps --url https://example.com/hook --entity";

interface Words {
  readonly line: string;
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
}

const withoutToken = { GRAPHLOOM_TOKEN: "" };

const stories: readonly (readonly [name: string, story: readonly Words[]])[] = [
  [
    "tags and a deletion",
    [
      { line: "subgraph tag create pools/1.0.0 -t prod,next" },
      { line: "subgraph pause pools/1.0.0" },
      { line: "subgraph update pools/1.0.0 --description hello" },
      { line: "subgraph delete pools/1.0.0", stdin: "y\n" },
      { line: "subgraph delete pools/1.0.0 --force" },
      { line: "subgraph tag delete pools/1.0.0 -t prod -f" },
    ],
  ],
  [
    "webhooks",
    [
      { line: "subgraph webhook list-entities pools/1.0.0" },
      { line: `${webhook} pool --secret whs-mine` },
      { line: `${webhook} pool --secret whs-mine` },
      { line: "subgraph webhook list" },
      { line: "subgraph webhook delete swaps --force" },
    ],
  ],
  [
    "a login",
    [
      { line: "subgraph list nothing", env: withoutToken },
      { line: "login --no-browser", stdin: "wrong-token", env: withoutToken },
      { line: "login --no-browser", stdin: "<token>\n", env: withoutToken },
      { line: "subgraph list nothing", env: withoutToken },
      { line: "logout", env: withoutToken },
    ],
  ],
  [
    "wrong command lines",
    [
      { line: "subgraph update pools/1.0.0" },
      { line: "subgraph deploy nouns" },
      { line: "subgraph log pools/1.0.0 --since yesterday" },
    ],
  ],
];

/** The results of a story, with placeholders for the parts that differ between two servers. */
async function told(all: Api, story: readonly Words[], run: Api["run"]): Promise<readonly unknown[]> {
  await deployed(all, "pools", "1.0.0");
  const ends: unknown[] = [];
  for (const { line, stdin, ...more } of story) {
    const ended = await run(line, {
      ...more,
      ...(stdin !== undefined && { stdin: stdin.replace("<token>", all.server.token) }),
    });
    const authorized = all.server.received.at(-1)?.headers.authorization;
    const text = JSON.stringify([line, ended, all.arrived(), authorized, [...filesBelow(all.home).keys()]]);
    const ids = /webhook_\w{25}/g;
    ends.push(
      JSON.parse(
        text
          .replaceAll(new URL(all.server.url).host, "<host>")
          .replaceAll(all.home, "~")
          .replaceAll(all.server.project, "<project>")
          .replaceAll(all.server.token, "<token>")
          .replace(ids, "<id>"),
      ),
    );
  }
  return ends;
}

describe("the shipped program", () => {
  it.each(stories)("prints and sends the same as the commands in the test process: %s", async (_, story) => {
    const [one, other] = [await api(), await api()];
    const shipped = await told(one, story, one.runShipped);
    expect(shipped).toEqual(await told(other, story, other.run));
  });

  it("retries after a temporary failure, and names a server that is unreachable", async () => {
    const all = await api();
    all.server.fail({ kind: "status", status: 502, text: "<html>" });
    expect((await all.runShipped("subgraph list")).code).toBe(0);
    expect(all.arrived()).toHaveLength(2);
    await all.server.stop();
    const { code, err } = await all.runShipped("subgraph pause pools/1.0.0");
    expect(code).toBe(3);
    expect(err).toContain(new URL(all.server.url).origin);
  });
});
