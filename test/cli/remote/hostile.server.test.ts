import { expect, it } from "vitest";
import { deployed, useApi } from "./harness.js";

const api = useApi();

/** Characters that a terminal would obey, hide or reorder, except line breaks. */
const unsafe = /[\p{Cf}\p{Zl}\p{Zp}]|[^\P{Cc}\n]/u;

/** Appends control characters to all strings in a value, except constants of the API contract. */
function bedevil(value: unknown): unknown {
  if (typeof value === "string")
    return /^[A-Z]+$/.test(value) ? value : `${value}\u001b]0;owned\u0007\u202e\r\n`;
  if (Array.isArray(value)) return value.map(bedevil);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, bedevil(each)]));
}

it.each([
  "subgraph list",
  "subgraph list --summary",
  "subgraph list --output json",
  "subgraph list pools/1.0.0",
  "subgraph tag create pools/1.0.0 --tag next",
  "subgraph tag delete pools/1.0.0 --tag prod --force",
  "subgraph update pools/1.0.0 --private-endpoint enabled --description x",
  "subgraph pause pools/1.0.0",
  "subgraph start pools/1.0.0",
  "subgraph log pools/1.0.0 --no-follow",
  "subgraph webhook create pools/1.0.0 --name more --url https://example.com/hook --entity pool",
  "subgraph webhook list",
  "subgraph webhook list --output json",
  "subgraph webhook list-entities pools/1.0.0",
  "subgraph delete pools/1.0.0 --force",
])("the command line escapes control characters in the server's answers: %s", async (line) => {
  const all = await api();
  await deployed(all, "pools", "1.0.0");
  await all.run("subgraph tag create pools/1.0.0 --tag prod");
  await all.run(
    `subgraph webhook create pools/1.0.0 --name swaps --url https://example.com/hook --entity pool`,
  );
  await all.server.log("pools", "1.0.0", { text: "started", timestamp: Date.now(), level: "info" });
  all.server.rule(() => ({ kind: "changed", change: bedevil }));
  const { code, out, err } = await all.run(line);
  expect(`${out}${err}`).not.toMatch(unsafe);
  expect([code, `${out}${err}`]).not.toEqual([70, ""]);
});

it("the command line never shows the keys in the address to deploy from", async () => {
  const all = await api();
  all.server.rule((method) =>
    method === "POST"
      ? { kind: "text", text: JSON.stringify({ data: { _meta: { deployment: `Qm${"a".repeat(44)}` } } }) }
      : undefined,
  );
  const { host } = new URL(all.server.url);
  const endpoint = `http://someone:hunter2pass@${host}/api/0123456789abcdef/subgraphs?api_key=k-7731`;
  const secrets = /someone|hunter2pass|0123456789abcdef|k-7731/;
  for (const url of [endpoint, endpoint.replace("http:", "ftp:")]) {
    const { out, err } = await all.run(
      `subgraph deploy pools/2.0.0 --from-url ${url} --ipfs-gateway ${all.server.url} --verbose`,
    );
    expect(`${out}${err}`).not.toMatch(secrets);
    expect(err).not.toBe("");
  }
});

it("the command line shows the keys in a webhook's address only with --output json", async () => {
  const all = await api();
  await deployed(all, "pools", "1.0.0");
  const url = "https://someone:hunter2pass@example.com/hook?token=k-7731";
  const create = `subgraph webhook create pools/1.0.0 --name swaps --url ${url} --entity pool`;
  all.server.fail({ kind: "status", status: 400, text: `cannot call ${url} with token=k-7731` });
  const refused = await all.run(create);
  const created = await all.run(create);
  const listed = await all.run("subgraph webhook list");
  expect([refused.code, created.code, listed.code]).toEqual([3, 0, 0]);
  expect([refused, created, listed].map(({ out, err }) => out + err).join("")).not.toMatch(
    /someone|hunter2pass|k-7731/,
  );
  expect(listed.out).toContain("https://…@example.com/hook?token=…");
  expect(JSON.parse((await all.run("subgraph webhook list --output json")).out)).toMatchObject([
    { webhook_url: url },
  ]);
});
