import { Ajv2020 } from "ajv/dist/2020.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { allOperations } from "../../../src/api/api-document.js";
import { problemTypes } from "../../../src/platform/problem.js";
import { SQL } from "../../../src/store/database/database.js";
import { onEither } from "../../support/database/databases.js";
import { startPlatform, type TestAnswer, type TestPlatform } from "../../support/server/platform-server.js";

const databases = onEither();
let server: TestPlatform;
beforeAll(async () => {
  server = await startPlatform(await databases.fresh());
});
afterAll(() => server.close());

const get = (path: string): Promise<TestAnswer> => server.ask(`${server.address}${path}`, { key: undefined });
/** The addresses that a page or a style sheet loads. Links to other pages are not among them, nor is what it holds itself. */
const loaded = (text: string): string[] =>
  [...text.matchAll(/ src="([^"]*)"|<link [^>]*href="([^"]*)"|url\(["']?([^"')]*)/g)]
    .map(([, source, link, file]) => source ?? link ?? file ?? "")
    .filter((address) => !address.startsWith("data:"));

describe("the API explorer", () => {
  it("loads everything from the server and nothing from other hosts", async () => {
    for (const path of ["/api/v1/docs", "/api/v1/docs/"]) {
      const page = await get(path);
      expect(page.headers.get("content-type")).toMatch(/^text\/html/);
      const assets = loaded(page.text).map((link) => new URL(link, `${server.address}${path}`));
      expect(assets.length).toBeGreaterThan(2);
      for (const { origin, pathname } of assets) {
        expect(origin).toBe(server.address);
        const asset = await get(pathname);
        expect([pathname, asset.status]).toEqual([pathname, 200]);
        expect(asset.headers.get("content-security-policy")).toBe(
          page.headers.get("content-security-policy"),
        );
        if (!pathname.endsWith(".css")) continue;
        // Our style loads the library's.
        for (const link of loaded(asset.text)) {
          const library = await get(new URL(link, server.address + pathname).pathname);
          expect([link, library.status]).toEqual(["../swagger-ui.css", 200]);
          expect(loaded(library.text)).toEqual([]);
        }
      }
      expect(page.headers.get("content-security-policy")).toMatch(
        /^default-src 'self'; img-src 'self' data:;/,
      );
      expect(page.headers.get("content-security-policy")).not.toMatch(/https?:|\*/);
    }
    const start = await get("/api/v1/docs/static/theme/graphloom.js");
    expect(start.text).toContain("validatorUrl: null");
    expect(start.text).not.toMatch(/https?:\/\//);
  });

  it("shows the OpenAPI document with the server's own address", async () => {
    const { json } = await get("/api/v1/docs/json");
    expect(json).toEqual((await get("/api/v1/openapi.json")).json);
    expect(json.openapi).toBe("3.1.0");
    expect(json.servers).toEqual([{ url: server.url }]);
    // The test of roles covers the server's extensions.
    const ids = Object.values(json.paths).flatMap((methods) =>
      Object.values(methods as Record<string, { operationId: string }>)
        .filter((operation) => !("x-graphloom-extension" in operation))
        .map(({ operationId }) => operationId),
    );
    // The contract's operations, without those of secrets, which are extensions.
    const others = allOperations.filter(({ path }) => !path.startsWith("/secrets"));
    expect(ids).toEqual(others.map(({ id }) => id));
    expect(ids).toHaveLength(40);
    expect(json.paths["/subgraphs"].get.description).toBe(
      "Requires a key with the role Viewer or a higher one.",
    );
    expect(json.paths["/subgraphs/supported-chains"].get.security).toEqual([]);
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    ajv.addSchema({ $id: "api", components: json.components });
    for (const name of Object.keys(json.components.schemas)) {
      expect(ajv.getSchema(`api#/components/schemas/${name}`), name).toBeTypeOf("function");
    }
  });
});

describe("the page of a problem", () => {
  it.each(Object.entries(problemTypes))("%s explains what to do", async (type, { status, title }) => {
    const page = await get(`/api/errors/${type}`);
    expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    expect(page.text).toContain(`<title>${title} · graphloom</title>`);
    expect(page.text).toContain(`Status ${status}`);
    expect(page.text).toContain("What to do");
    expect(page.text).toContain('<nav aria-label="Main">');
    expect(page.text).not.toMatch(/https?:\/\//);
    expect((await get("/api/errors")).text).toContain(`href="/api/errors/${type}"`);
  });

  it("returns 404 for an unknown type without repeating it", async () => {
    const page = await get("/api/errors/%3Cscript%3Ealert(1)%3C%2Fscript%3E");
    expect([page.status, page.json.type]).toEqual([404, `${server.address}/api/errors/not-found`]);
    expect(page.text).not.toContain("<script>");
    expect((await get("/api/errors/constructor")).status).toBe(404);
  });
});

describe("an address without a route", () => {
  it.each([
    ["GET", "/api/v1/nothing", 404, "not-found"],
    ["GET", "/api/v2/subgraphs", 404, "not-found"],
    ["POST", "/api/v1/subgraphs", 405, "method-not-allowed"],
    ["DELETE", "/api/v1/subgraphs/pools", 405, "method-not-allowed"],
    ["GET", "/api/v1/subgraphs/%E0%A4%A", 400, "bad-request"],
    ["GET", `/api/v1/subgraphs/${"a".repeat(600)}`, 400, "bad-request"],
    ["GET", `/api/v1/subgraphs/a%00b`, 400, "bad-request"],
    ["GET", `/api/v1/subgraphs/1pools`, 400, "bad-request"],
  ])("answers %s %s with a problem document", async (method, path, status, type) => {
    const answer = await server.ask(`${server.address}${path}`, { method });
    expect(answer.headers.get("content-type")).toBe("application/problem+json; charset=utf-8");
    expect(answer.json).toMatchObject({
      status,
      type: `${server.address}/api/errors/${type}`,
      instance: path,
    });
    expect(answer.status).toBe(status);
  });

  it("lists the allowed methods", async () => {
    const answer = await server.ask("/subgraphs/pools/deployments/1.0.0", { method: "PATCH" });
    expect(answer.headers.get("allow")).toBe("DELETE, PUT");
    expect(answer.json.detail).toBe("This address accepts DELETE, PUT, not PATCH.");
  });
});

describe("a request body", () => {
  const post = (body: string, type: string): Promise<TestAnswer> =>
    server.ask("/pipelines", { method: "POST", body, headers: { "content-type": type } });

  it.each([
    ["{", "application/json", 400],
    ["", "application/json", 400],
    ["[]", "application/json", 400],
    ["null", "application/json", 400],
    ['{"__proto__":{}}', "application/json", 400],
    ["{}", "text/plain", 415],
    ["a=b", "application/x-www-form-urlencoded", 415],
    [`{"definition":"${"x".repeat(1_100_000)}"}`, "application/json", 413],
    ['{"definition":{"sources":{},"transforms":{},"sinks":{}}}', "application/json", 501],
  ])("%.40s with the type %s is answered with %i", async (body, type, status) => {
    const answer = await post(body, type);
    expect([answer.status, answer.json.status]).toEqual([status, status]);
  });
});

describe("pipelines", () => {
  it("are always an empty list", async () => {
    const page = { data: [], pagination: { next_page_token: null, page_size: 7 } };
    expect((await server.ask("/pipelines/?pageSize=7")).json).toEqual(page);
    expect((await server.ask("/pipelines/a/status")).json.type).toMatch(/pipeline-not-found$/);
    expect((await server.ask("/pipelines/a/logs/error-count?since_hours=200")).status).toBe(400);
  });
});

describe("the health routes", () => {
  it("report that the server is running and ready", async () => {
    expect((await get("/health")).json).toEqual({ status: "ok", version: "0.0.0-test" });
    expect((await get("/ready")).json).toEqual({ status: "ready" });
  });

  it("report that another version has migrated the database", async () => {
    const { database } = server.platform;
    await database.query(SQL`insert into graphloom.migrations (number, name) values (9999, 'future')`);
    const answer = await get("/ready");
    await database.query(SQL`delete from graphloom.migrations where number = 9999`);
    expect([answer.status, answer.json.detail]).toEqual([
      503,
      "Another version of graphloom has migrated the database (9999 future). Stop this server and start that version.",
    ]);
    expect((await get("/ready")).status).toBe(200);
  });
});
