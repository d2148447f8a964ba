import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { SealBroken, seal, unseal } from "../../../src/platform/sealing/sealed.js";
import { deleteVersion, setTag } from "../../../src/platform/subgraphs/versions.js";
import { webhooksOf } from "../../../src/platform/webhooks/webhooks.js";
import { type Database, SQL } from "../../../src/store/database/database.js";
import { migrate } from "../../../src/store/database/migrate.js";
import { onPglite } from "../../support/database/databases.js";
import { makePlatform, type WebhookPlatform } from "./harness.js";

describe("the routes of webhooks", () => {
  let database: Database;
  beforeAll(async () => {
    database = await onPglite().fresh();
    await migrate(database);
  });
  let made: WebhookPlatform;
  beforeEach(async () => {
    made = await makePlatform(database);
  });

  const hooks = "/subgraphs/webhooks";
  const extensions = "/extensions/webhooks";
  const good = {
    name: "swaps",
    subgraph_name: "pools",
    subgraph_version: "1.0.0",
    entity: "account",
    webhook_url: "https://example.com/hook?key=1",
  };
  const post = (body: unknown) => made.ask("POST", hooks, { body });

  test("create, list and delete webhooks", async () => {
    const created = await post({ ...good, secret: "whs_mine" });
    expect(created).toEqual({
      status: 200,
      body: {
        data: {
          id: expect.stringMatching(/^webhook_c[\da-z]{24}$/),
          name: "swaps",
          webhook_secret: "whs_mine",
        },
      },
    });
    const { id } = created.body.data;
    const listed = await made.ask("GET", hooks, { role: "Viewer" });
    expect(listed.body).toEqual({
      data: [{ ...good, name: "swaps", id, created_at: expect.stringMatching(/^\d{4}-.*Z$/) }],
    });
    expect((await made.ask("GET", `${extensions}/swaps`, { role: "Viewer" })).body.data).toMatchObject({
      num_retries: 10,
      retry_interval_seconds: 30,
      retry_timeout_seconds: 30,
      status: "ACTIVE",
      failures_in_a_row: 0,
      next_attempt_at: null,
    });
    // The secret is nowhere in what the database keeps.
    const [kept] = await database.query(
      SQL`select w.*, encode(secret, 'escape') as text from graphloom.webhooks w`,
    );
    expect(JSON.stringify(kept)).not.toContain("mine");
    expect((await post(good)).status).toBe(409);
    expect((await made.ask("DELETE", `${hooks}/swaps`)).status).toBe(200);
    expect((await made.ask("DELETE", `${hooks}/swaps`)).body).toMatchObject({
      status: 404,
      type: expect.stringContaining("webhook-not-found"),
    });
    expect((await made.ask("GET", hooks)).body).toEqual({ data: [] });
  });

  test("accept the entity name that the schema uses", async () => {
    expect((await post({ ...good, name: "by-type", entity: "Account" })).status).toBe(200);
    const { data } = (await made.ask("GET", hooks)).body;
    expect(data).toMatchObject([{ name: "by-type", entity: "account" }]);
    expect((await made.ask("DELETE", `${hooks}/by-type`)).status).toBe(200);
  });

  test.each<[string, Record<string, unknown>, string, string]>([
    ["a blank name", { name: " " }, "name", "blank"],
    ["a name that is too long", { name: "n".repeat(43) }, "name", "42"],
    ["a name that means another address", { name: ".." }, "name", "must not be . or .."],
    [
      "an entity that is none",
      { entity: "Accounts" },
      "entity",
      "the subgraph has no entity Accounts; it has account, transfer",
    ],
    ["an address that is none", { webhook_url: "example.com/hook" }, "webhook_url", "http"],
    ["another protocol", { webhook_url: "file:///etc/passwd" }, "webhook_url", "http"],
    ["too many retries", { num_retries: 11 }, "num_retries", "<= 10"],
    ["half a retry", { num_retries: 0.5 }, "num_retries", "integer"],
    ["no time between retries", { retry_interval_seconds: 0 }, "retry_interval_seconds", ">= 1"],
    ["a number as text", { retry_timeout_seconds: "9" }, "retry_timeout_seconds", "integer"],
    ["too much time", { retry_timeout_seconds: 301 }, "retry_timeout_seconds", "at most 300"],
    ["too long a rest", { retry_interval_seconds: 86_401 }, "retry_interval_seconds", "at most 86400"],
    ["control characters", { name: "a\u001bb" }, "name", "control"],
    ["an address without an end", { webhook_url: `https://a.b/${"x".repeat(2_000)}` }, "webhook_url", "2000"],
    ["a secret that is no header", { secret: "a\r\nb: c" }, "secret", "ASCII"],
    ["an empty secret", { secret: "" }, "secret", "ASCII"],
    ["a field that is none", { retries: 1 }, "retries", "is not a known field"],
    ["a subgraph that cannot be", { subgraph_name: "a b" }, "subgraph_name", "pattern"],
    ["a missing field", { entity: undefined }, "entity", "is required"],
    ["another kind of value", { name: 5 }, "name", "string"],
    ["no truth", { from_start: "yes" }, "from_start", "boolean"],
  ])("refuse %s", async (_, wrong, field, message) => {
    const { status, body } = await post({ ...good, ...wrong });
    expect([status, body.status]).toEqual([400, 400]);
    expect(body.errors).toEqual([{ field, message: expect.stringContaining(message) }]);
  });

  test("report all invalid fields at once, and refuse a body that is not an object", async () => {
    const fields = async (asked: unknown): Promise<string[]> =>
      (await post(asked)).body.errors.map(({ field }: { field: string }) => field).sort();
    expect(await fields({ num_retries: -1 })).toEqual([
      "entity",
      "name",
      "num_retries",
      "subgraph_name",
      "subgraph_version",
      "webhook_url",
    ]);
    const wrong = { name: " ", secret: "", webhook_url: "e", retry_timeout_seconds: 1e9, extra: 1 };
    expect(await fields({ ...good, ...wrong })).toEqual(Object.keys(wrong).toSorted());
    expect((await post([])).status).toBe(400);
  });

  test("change the URL of a webhook only together with its secret, which requests to the new URL carry", async () => {
    await post(good);
    const patch = (body: object) => made.ask("PATCH", `${extensions}/swaps`, { body });
    for (const other of [
      "https://example.com/other",
      "https://example.com/hook?to=other",
      "https://example.org/hook",
    ]) {
      expect((await patch({ webhook_url: other, num_retries: 3 })).body).toMatchObject({
        status: 400,
        detail: expect.stringContaining("A new URL requires a secret"),
        errors: [{ field: "secret", message: "is required together with a new webhook_url" }],
      });
    }
    expect((await patch({ secret: "two words" })).body.errors).toEqual([
      { field: "secret", message: expect.stringContaining("visible ASCII") },
    ]);
    expect((await made.ask("GET", `${extensions}/swaps`)).body.data).toMatchObject({
      webhook_url: good.webhook_url,
      num_retries: 10,
    });
    // The same URL, written in another way.
    expect((await patch({ webhook_url: "https://EXAMPLE.com:443/hook?key=1" })).status).toBe(200);
    expect(
      (await patch({ webhook_url: "https://example.org/hook", secret: "mine" })).body.data,
    ).toMatchObject({
      webhook_url: "https://example.org/hook",
    });
    await made.ask("DELETE", `${hooks}/swaps`);
  });

  test("refuse unknown versions and tags", async () => {
    const missing = await post({ ...good, subgraph_version: "2.0.0" });
    expect(missing.body).toMatchObject({ status: 404, type: expect.stringContaining("subgraph-not-found") });
    const tag = { project: made.project, name: "pools", version: "prod" };
    await database.transaction((sql) => setTag(sql, tag, "1.0.0"));
    expect((await post({ ...good, subgraph_version: "prod" })).body.errors).toEqual([
      { field: "subgraph_version", message: expect.stringContaining("use the version it points to: 1.0.0") },
    ]);
  });

  test("keep a version from being deleted", async () => {
    const version = { project: made.project, name: "pools", version: "1.0.0" };
    await post(good);
    expect(await webhooksOf(database, version)).toEqual(["swaps"]);
    await expect(deleteVersion(database, version)).rejects.toMatchObject({ code: "23503" });
    await made.ask("DELETE", `${hooks}/swaps`);
    expect(await webhooksOf(database, version)).toEqual([]);
  });

  test("serve only the project of the key, and only roles that may use them", async () => {
    const other = await makePlatform(database);
    await post(good);
    const [viewer, stranger] = [made.keys.Viewer, other.keys.Owner];
    const id = "00000000-0000-4000-8000-000000000000";
    for (const [method, path] of [
      ["POST", hooks],
      ["DELETE", `${hooks}/swaps`],
      ["PATCH", `${extensions}/swaps`],
      ["POST", `${extensions}/swaps/redeliver-failed`],
      ["PUT", `${extensions}/swaps/pause`],
      ["PUT", `${extensions}/swaps/resume`],
      ["POST", `${extensions}/deliveries/${id}/redeliver`],
    ] as const) {
      expect((await made.ask(method, path, { key: viewer })).status, path).toBe(403);
      expect((await made.ask(method, path, { key: "unknown" })).status, path).toBe(401);
      const body = method === "PATCH" ? {} : undefined;
      if (path !== hooks)
        expect((await made.ask(method, path, { key: stranger, body })).status, path).toBe(404);
    }
    for (const path of [`${extensions}/swaps`, `${extensions}/swaps/deliveries`]) {
      expect((await made.ask("GET", path, { key: viewer })).status, path).toBe(200);
      expect((await made.ask("GET", path, { key: stranger })).status, path).toBe(404);
    }
    expect((await made.ask("GET", hooks, { key: stranger })).body).toEqual({ data: [] });
    expect((await other.create({ name: "swaps", webhook_url: "http://127.0.0.1:9/" })).id).not.toBe("");
  });

  test.each([
    "?status=lost",
    "?page_size=0",
    "?page_size=x",
    "?page_token=-1",
  ])("refuse to list deliveries with %s", async (query) => {
    await post(good);
    const { status, body } = await made.ask("GET", `${extensions}/swaps/deliveries${query}`);
    expect([status, body.errors.length]).toEqual([400, 1]);
  });
});

test("the server opens a secret only with its own key and at its own place", () => {
  const key = Buffer.alloc(32, 1);
  const sealed = seal(key, "hush", "webhook_1");
  expect(unseal(key, sealed, "webhook_1")).toBe("hush");
  expect(Buffer.from(seal(key, "hush", "webhook_1"))).not.toEqual(Buffer.from(sealed));
  const changed = Buffer.from(sealed);
  changed[changed.length - 1] = (changed.at(-1) ?? 0) ^ 1;
  for (const [other, bytes, place] of [
    [Buffer.alloc(32, 2), sealed, "webhook_1"],
    [key, sealed, "webhook_2"],
    [key, changed, "webhook_1"],
    [key, sealed.subarray(0, 20), "webhook_1"],
  ] as const) {
    expect(() => unseal(other, bytes, place)).toThrow(SealBroken);
  }
});
