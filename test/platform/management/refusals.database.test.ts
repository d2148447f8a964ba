import { zipSync } from "fflate";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { onPglite } from "../../support/database/databases.js";
import { sampleBundle, sampleFiles } from "../../support/server/management-sample.js";
import {
  type AskOptions,
  deployForm,
  startPlatform,
  type TestAnswer,
  type TestPlatform,
} from "../../support/server/platform-server.js";
import { zipBomb } from "../../support/zip-bomb.js";

const databases = onPglite();
let server: TestPlatform;
beforeAll(async () => {
  server = await startPlatform(await databases.fresh());
  const form = deployForm(sampleBundle());
  await server.ask("/subgraphs/pools/deployments/1", { method: "PUT", form });
});
afterAll(() => server.close());

const put = (path: string, more: Omit<AskOptions, "method"> = {}): Promise<TestAnswer> =>
  server.ask(path, { method: "PUT", ...more });
/** A refusal: its status, media type, the end of its problem type, and the invalid fields. */
const refusal = ({ status, headers, json }: TestAnswer): unknown[] => [
  status,
  headers.get("content-type"),
  json.type.replace(/.*\//, ""),
  json.errors?.map(({ field }: { field?: string }) => field ?? ""),
];
const problem = "application/problem+json; charset=utf-8";
const file = (bytes: Uint8Array = sampleBundle(), type = "application/zip"): File =>
  new File([Buffer.from(bytes)], "b.zip", { type });

describe("the API rejects an invalid request:", () => {
  it.each<[string, string, unknown, string[]]>([
    ["no body", "prod", undefined, [""]],
    ["no body, for a tag named like an action", "pause", undefined, [""]],
    ["an empty body", "prod", {}, ["target_version"]],
    ["a body that is not an object", "prod", [], [""]],
    ["a body that is not JSON", "prod", "{", []],
    ["a zero byte", "prod", { target_version: "1", other: ["a\0"] }, ["other.0"]],
    ["a lone surrogate", "prod", { target_version: "1", other: "\ud800" }, ["other"]],
  ])("%s", async (_, tag, body, fields) => {
    const answer = await put(`/subgraphs/pools/tags/${tag}`, { body });
    expect(refusal(answer)).toEqual([400, problem, "bad-request", fields]);
  });

  it("a body that is nested too deeply", async () => {
    const body = `{"other":${"[".repeat(200_000)}${"]".repeat(200_000)}}`;
    const answer = await server.ask("/subgraphs/pools/1", { method: "PATCH", body });
    expect(refusal(answer).slice(0, 3)).toEqual([400, problem, "bad-request"]);
    expect(answer.json.errors).toEqual([{ message: "is nested more than 50 levels deep" }]);
  });

  it("a name that is too long", async () => {
    const edge = (length: number) =>
      server.ask("/edge", { method: "POST", body: { name: "x".repeat(length) } });
    expect((await edge(200)).status).toBe(201);
    expect(refusal(await edge(201))).toEqual([400, problem, "bad-request", ["name"]]);
    expect(refusal(await edge(900_000))).toEqual([400, problem, "bad-request", ["name"]]);
  });

  it("a version that contains a slash", async () => {
    const answer = await server.ask("/subgraphs/pools/1%2F2");
    expect(refusal(answer)).toEqual([400, problem, "bad-request", ["version"]]);
  });
});

describe("the API rejects a form", () => {
  it.each<[string, readonly (readonly [string, string | File])[], string]>([
    ["with a bundle that is not a file", [["bundle", "PK"]], "bundle"],
    [
      "with a second file",
      [
        ["bundle", file()],
        ["start_block", file()],
      ],
      "start_block",
    ],
    [
      "with a description that is a file",
      [
        ["description", file()],
        ["bundle", file()],
      ],
      "description",
    ],
    [
      "with a switch that is neither 0 nor 1",
      [
        ["bundle", file()],
        ["remove_graft", "true"],
      ],
      "remove_graft",
    ],
    [
      "with a zero byte",
      [
        ["bundle", file()],
        ["description", "a\0b"],
      ],
      "description",
    ],
    [
      "with a repeated field",
      [
        ["bundle", file()],
        ["start_block", "1"],
        ["start_block", "2"],
      ],
      "start_block",
    ],
  ])("%s", async (_, parts, field) => {
    const form = new FormData();
    for (const [name, value] of parts) form.append(name, value);
    const answer = await put("/subgraphs/pools/deployments/2", { form });
    expect(refusal(answer)).toEqual([400, problem, "bad-request", [field]]);
  });
});

describe("the API rejects a malformed form", () => {
  const part = 'Content-Disposition: form-data; name="bundle"; filename="b.zip"';

  it.each([
    ["without its boundary", "multipart/form-data", "--x--\r\n"],
    ["that ends within a part", "multipart/form-data; boundary=x", `--x\r\n${part}\r\n\r\nPK`],
    ["that ends within the headers of a part", "multipart/form-data; boundary=x", "--x\r\nContent-Dis"],
    ["with a boundary that is too long", `multipart/form-data; boundary=${"x".repeat(300)}`, "--x--\r\n"],
  ])("%s", async (_, type, body) => {
    const headers = { "content-type": type };
    const answer = await put("/subgraphs/pools/deployments/2", { body, headers });
    expect(refusal(answer).slice(0, 3)).toEqual([400, problem, "bad-request"]);
    expect(answer.json.detail).toMatch(/^The form cannot be read: /);
  });
});

describe("the API rejects a bundle", () => {
  const without = (path: string): Uint8Array => {
    const { [path]: _, ...rest } = sampleFiles();
    return zipSync(rest);
  };
  const withFile = (path: string, bytes: Uint8Array): Uint8Array =>
    zipSync({ ...sampleFiles(), [path]: bytes });

  it.each<[string, () => Uint8Array, number, string, RegExp]>([
    ["without a mapping", () => without("Pool/Pool.wasm"), 422, "unprocessable", /Pool\/Pool\.wasm/],
    ["without an ABI", () => without("Pool/Pool.json"), 422, "unprocessable", /Pool\/Pool\.json/],
    [
      "with a mapping that is not compiled",
      () => withFile("Pool/Pool.wasm", Buffer.from("import x")),
      422,
      "unprocessable",
      /Pool\.wasm/,
    ],
    [
      "with a path that leads outside of it",
      () => withFile("../x", Buffer.from("x")),
      400,
      "bad-request",
      /\.\.\/x/,
    ],
    [
      "that is too large when unpacked",
      () => zipBomb("x", 100_000_000, sampleFiles()),
      413,
      "too-large",
      /100,?000,?000/,
    ],
  ])("%s", async (_, bundle, status, type, detail) => {
    const answer = await put("/subgraphs/pools/deployments/2", { form: deployForm(bundle()) });
    expect(refusal(answer).slice(0, 3)).toEqual([status, problem, type]);
    expect(answer.json.detail).toMatch(detail);
  });
});

it("the API rejects an invalid schema when a request needs it, even if the engine accepted it", async () => {
  const broken = zipSync({ ...sampleFiles(), "schema.graphql": Buffer.from("type {{{{") });
  const deployed = await put("/subgraphs/pools/deployments/8", { form: deployForm(broken) });
  expect(deployed.status).toBe(201);
  const webhook = { name: "w", subgraph_name: "pools", subgraph_version: "8", entity: "swap" };
  for (const answer of [
    await server.ask("/subgraphs/pools/8/entities"),
    await server.ask("/subgraphs/webhooks", {
      method: "POST",
      body: { ...webhook, webhook_url: "https://example.com" },
    }),
  ]) {
    expect(refusal(answer).slice(0, 3)).toEqual([422, problem, "unprocessable"]);
    expect(answer.json.detail).toContain("the schema is not GraphQL");
  }
});

describe("the API accepts", () => {
  it("a plus sign in a version, encoded or not, and a trailing slash", async () => {
    const form = deployForm(sampleBundle(), { overwrite: "0", start_block: "5" });
    expect((await put("/subgraphs/pools/deployments/1.0+a", { form })).status).toBe(201);
    expect((await server.ask("/subgraphs/pools/1.0+a")).status).toBe(200);
    expect((await server.ask("/subgraphs/pools/1.0%2Ba")).status).toBe(200);
    expect((await server.ask("/subgraphs/")).status).toBe(200);
  });

  it("unknown parameters and fields, a body where none is needed, and any media type for the bundle", async () => {
    expect((await server.ask("/subgraphs?size=1")).status).toBe(200);
    const patch = { method: "PATCH", body: { shade: 1 } };
    expect((await server.ask("/subgraphs/pools/1", patch)).status).toBe(200);
    expect((await put("/subgraphs/pools/1/pause", { body: {} })).status).toBe(200);
    const form = new FormData();
    form.append("bundle", file(sampleBundle({ startBlock: 9 }), "text/plain"));
    form.append("shade", "1");
    expect((await put("/subgraphs/pools/deployments/9", { form })).status).toBe(201);
  });
});

describe("a server with an embedded database", () => {
  it("hosts no sinks, and says how to change that", async () => {
    const { status, json } = await server.ask("/hosted-sinks", {
      method: "POST",
      body: { type: "postgres" },
    });
    expect([status, json.detail]).toEqual([422, expect.stringContaining("--hosted-sinks postgres://")]);
  });
});
