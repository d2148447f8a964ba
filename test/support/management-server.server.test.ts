import { zipSync } from "fflate";
import { afterEach, beforeEach, expect, it } from "vitest";
import { sampleBundle, sampleFiles } from "./management-sample.js";
import { type ManagementServer, startManagementServer } from "./management-server.js";

let server: ManagementServer;
beforeEach(async () => {
  server = await startManagementServer({ token: "t", pageSize: 2 });
});
afterEach(() => server.stop());

type Sent = Omit<RequestInit, "body"> & {
  json?: unknown;
  form?: readonly (readonly [string, string | Blob])[];
};

async function ask(path: string, { json, form, headers, ...request }: Sent = {}): Promise<Response> {
  const data = new FormData();
  for (const [name, value] of form ?? []) data.append(name, value);
  return fetch(`${server.url}${path}`, {
    ...request,
    headers: {
      authorization: "Bearer t",
      ...(json !== undefined && { "content-type": "application/json" }),
      ...headers,
    },
    ...(json !== undefined && { body: JSON.stringify(json) }),
    ...(form && { body: data }),
  });
}
const zip = (bytes: Uint8Array, type = "application/zip"): File =>
  new File([Buffer.from(bytes)], "b.zip", { type });
const deployment = (...form: (readonly [string, string | Blob])[]): Sent => ({ method: "PUT", form });
const without = (path: string): Uint8Array => {
  const { [path]: _, ...rest } = sampleFiles();
  return zipSync(rest);
};
const withFile = (path: string, text: string): Uint8Array =>
  zipSync({ ...sampleFiles(), [path]: Buffer.from(text) });
const webhook = {
  name: "w",
  subgraph_name: "pools",
  subgraph_version: "1",
  entity: "swap",
  webhook_url: "https://e.com",
};
const POOLS_2 = "/subgraphs/pools/deployments/2";

it.each<[string, string, Sent, number, string[] | undefined]>([
  ["no token", "/subgraphs", { headers: { authorization: "" } }, 401, undefined],
  ["another token", "/subgraphs", { headers: { authorization: "Bearer T" } }, 401, undefined],
  ["another scheme", "/subgraphs", { headers: { authorization: "Basic t" } }, 401, undefined],
  ["an unknown path", "/nothing/here/at/all/x", {}, 404, undefined],
  ["an unknown method", "/subgraphs", { method: "POST" }, 404, undefined],
  ["an unknown parameter", "/subgraphs?size=1", {}, 400, ["size"]],
  ["a page that is too large", "/subgraphs?page_size=201", {}, 400, ["page_size"]],
  ["a size that is no number", "/subgraphs?page_size=ten", {}, 400, ["page_size"]],
  ["a made-up page", "/subgraphs?page_token=abc", {}, 400, ["page_token"]],
  ["a wrong name", "/subgraphs/3pools/1", {}, 400, ["name"]],
  ["an encoded slash", "/subgraphs/pools/1%2F2", {}, 400, ["version"]],
  ["an unknown subgraph", "/subgraphs/other", {}, 404, undefined],
  ["a body where there is none", "/subgraphs/pools/1/pause", { method: "PUT", json: {} }, 400, [""]],
  ["an unknown field", "/subgraphs/pools/1", { method: "PATCH", json: { tag: 1 } }, 400, ["tag"]],
  ["a wrong type", "/subgraphs/pools/1", { method: "PATCH", json: { description: 1 } }, 400, ["description"]],
  ["no body", "/subgraphs/pools/tags/prod", { method: "PUT" }, 415, undefined],
  ["an empty body", "/subgraphs/pools/tags/prod", { method: "PUT", json: {} }, 400, ["target_version"]],
  ["a body that is no object", "/subgraphs/pools/tags/prod", { method: "PUT", json: [] }, 400, [""]],
  [
    "an unknown target",
    "/subgraphs/pools/tags/prod",
    { method: "PUT", json: { target_version: "9" } },
    404,
    undefined,
  ],
  [
    "a tag called as a version",
    "/subgraphs/pools/tags/1",
    { method: "PUT", json: { target_version: "1" } },
    409,
    undefined,
  ],
  ["the pause of a tag", "/subgraphs/pools/live/pause", { method: "PUT" }, 422, undefined],
  ["the tag pause, without a body", "/subgraphs/pools/tags/pause", { method: "PUT" }, 415, undefined],
  ["the deletion of what is used", "/subgraphs/pools/deployments/1", { method: "DELETE" }, 422, undefined],
  [
    "a webhook of an unknown version",
    "/subgraphs/webhooks",
    { method: "POST", json: { ...webhook, subgraph_version: "9" } },
    404,
    undefined,
  ],
  [
    "a webhook of an unknown entity",
    "/subgraphs/webhooks",
    { method: "POST", json: { ...webhook, entity: "Swap" } },
    400,
    ["entity"],
  ],
  [
    "a webhook without a name",
    "/subgraphs/webhooks",
    { method: "POST", json: { ...webhook, name: " " } },
    400,
    ["name"],
  ],
  [
    "a webhook that is to call nobody",
    "/subgraphs/webhooks",
    { method: "POST", json: { ...webhook, webhook_url: "e" } },
    400,
    ["webhook_url"],
  ],
  ["a deployment without a bundle", POOLS_2, deployment(["remove_graft", "1"]), 400, ["bundle"]],
  ["a deployment as JSON", POOLS_2, { method: "PUT", json: {} }, 415, undefined],
  ["a bundle as text", POOLS_2, deployment(["bundle", "PK"]), 400, ["bundle"]],
  [
    "two bundles",
    POOLS_2,
    deployment(["bundle", zip(sampleBundle())], ["bundle", zip(sampleBundle())]),
    400,
    ["bundle"],
  ],
  [
    "another file",
    POOLS_2,
    deployment(["bundle", zip(sampleBundle())], ["start_block", zip(sampleBundle())]),
    400,
    ["start_block"],
  ],
  [
    "a bundle of another type",
    POOLS_2,
    deployment(["bundle", zip(sampleBundle(), "text/plain")]),
    400,
    ["bundle"],
  ],
  ["a bundle that is no zip", POOLS_2, deployment(["bundle", zip(Buffer.from("PK"))]), 400, ["bundle"]],
  [
    "a bundle without a manifest",
    POOLS_2,
    deployment(["bundle", zip(without("subgraph.yaml"))]),
    400,
    ["bundle"],
  ],
  [
    "a bundle without a schema",
    POOLS_2,
    deployment(["bundle", zip(without("schema.graphql"))]),
    400,
    ["bundle"],
  ],
  [
    "a bundle without a mapping",
    POOLS_2,
    deployment(["bundle", zip(without("Pool/Pool.wasm"))]),
    400,
    ["bundle"],
  ],
  [
    "a bundle without an ABI",
    POOLS_2,
    deployment(["bundle", zip(without("Pool/Pool.json"))]),
    400,
    ["bundle"],
  ],
  [
    "a bundle that is not compiled",
    POOLS_2,
    deployment(["bundle", zip(withFile("Pool/Pool.wasm", "import x"))]),
    400,
    ["bundle"],
  ],
  [
    "a bundle that leaves its folder",
    POOLS_2,
    deployment(["bundle", zip(withFile("../x", "x"))]),
    400,
    ["bundle"],
  ],
  [
    "a bundle for another chain",
    POOLS_2,
    deployment(["bundle", zip(sampleBundle({ network: "moon" }))]),
    422,
    undefined,
  ],
  [
    "a description that is a file",
    POOLS_2,
    deployment(["bundle", zip(sampleBundle())], ["description", zip(sampleBundle())]),
    400,
    ["description"],
  ],
  [
    "a bundle that extracts to too much",
    POOLS_2,
    deployment([
      "bundle",
      zip(zipSync({ ...sampleFiles(), x: [new Uint8Array(100_000_000), { level: 1 }] })),
    ]),
    413,
    undefined,
  ],
  [
    "overwriting",
    POOLS_2,
    deployment(["bundle", zip(sampleBundle())], ["overwrite", "1"]),
    400,
    ["overwrite"],
  ],
  [
    "a wrong block",
    POOLS_2,
    deployment(["bundle", zip(sampleBundle())], ["start_block", "-1"]),
    400,
    ["start_block"],
  ],
  [
    "a switch that is a word",
    POOLS_2,
    deployment(["bundle", zip(sampleBundle())], ["remove_graft", "true"]),
    400,
    ["remove_graft"],
  ],
  [
    "a long description",
    POOLS_2,
    deployment(["bundle", zip(sampleBundle())], ["description", "d".repeat(501)]),
    400,
    ["description"],
  ],
  [
    "an unknown field of a form",
    POOLS_2,
    deployment(["bundle", zip(sampleBundle())], ["tag", "a"]),
    400,
    ["tag"],
  ],
  [
    "an unknown graft",
    POOLS_2,
    deployment(["bundle", zip(sampleBundle())], ["graft_from", "other/1"]),
    404,
    undefined,
  ],
  [
    "the same version again",
    "/subgraphs/pools/deployments/1",
    deployment(["bundle", zip(sampleBundle())]),
    409,
    undefined,
  ],
])("the management server refuses %s", async (_, path, sent, status, fields) => {
  expect(
    (await ask("/subgraphs/pools/deployments/1", deployment(["bundle", zip(sampleBundle())]))).status,
  ).toBe(201);
  expect(
    (await ask("/subgraphs/pools/tags/live", { method: "PUT", json: { target_version: "1" } })).status,
  ).toBe(200);
  const response = await ask(path, sent);
  const problem = (await response.json()) as { status: number; errors?: { field?: string }[] };
  expect(response.headers.get("content-type")).toBe("application/problem+json");
  expect([response.status, problem.status]).toEqual([status, status]);
  expect(problem.errors?.map(({ field }) => field ?? "")).toEqual(fields);
});

it("the management server takes what is right, in any order, with any encoding of a plus", async () => {
  const form = [
    ["bundle", zip(sampleBundle())],
    ["overwrite", "0"],
    ["start_block", "5"],
  ] as const;
  expect((await ask("/subgraphs/pools/deployments/1.0+a", deployment(...form))).status).toBe(201);
  expect((await ask("/subgraphs/pools/1.0+a")).status).toBe(200);
  expect((await ask("/subgraphs/pools/1.0%2Ba")).status).toBe(200);
  expect((await ask("/pipelines/")).status).toBe(200);
});
