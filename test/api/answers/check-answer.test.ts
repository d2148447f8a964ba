import { describe, expect, it } from "vitest";
import { checkAnswer } from "../../../src/api/answers/check-answer.js";
import { operationOf } from "../../../src/api/api-document.js";
import type { Subgraph } from "../../../src/api/contract.js";

const subgraph: Subgraph = {
  name: "pools",
  version: "1.0.0",
  status: "ACTIVE",
  network: "mainnet",
  health: "HEALTHY",
  synced: true,
  graphql_endpoint: "https://example.com",
  private_graphql_endpoint: "https://example.com",
  public_endpoint_enabled: true,
  private_endpoint_enabled: false,
  description: null,
  deployments: [],
};
const page = (...data: unknown[]): unknown => ({
  data,
  pagination: { next_page_token: null, page_size: 50 },
});
const check = (value: unknown): unknown =>
  checkAnswer({ ...operationOf("listSubgraphs"), id: "listSubgraphs" }, JSON.stringify(value), []);

describe("the answer check", () => {
  it.each<[string, unknown]>([
    ["an answer that follows the contract", page(subgraph)],
    ["an answer with unknown enum values", page({ ...subgraph, status: "RESTING", health: "" })],
    ["an answer with unknown fields", { ...(page({ ...subgraph, shard: 7 }) as object), more: [] }],
    [
      "an answer with dates of a different form",
      page({ ...subgraph, deployments: [deployment({ created_at: "yesterday" })] }),
    ],
  ])("accepts %s", (_, value) => {
    expect(check(value)).toEqual(value);
  });

  const { health: _, ...unhealthy } = subgraph;
  it.each<[string, unknown]>([
    ["lacks /data/0/health", page(unhealthy)],
    ["lacks /pagination", { data: [] }],
    [
      "lacks /data/1/deployments/0/created_at",
      page(subgraph, { ...subgraph, deployments: [deployment({ created_at: undefined })] }),
    ],
    ["has an unexpected value at /data/0/synced (expected boolean)", page({ ...subgraph, synced: "yes" })],
    [
      "has an unexpected value at /data/0/description (expected string or null)",
      page({ ...subgraph, description: 1 }),
    ],
    ["has an unexpected value (expected object)", []],
    ["has an unexpected value (expected object)", null],
  ])("rejects an answer that %s", (what, value) => {
    expect(() => check(value)).toThrow(
      expect.objectContaining({ message: `the API's answer to listSubgraphs ${what}` }),
    );
  });

  it.each([
    ["", "is empty, but JSON was expected"],
    ["<html>\u001b[2J", 'is not JSON: "<html>\\u001b[2J"'],
    ["your t0ken is wrong", 'is not JSON: "your … is wrong"'],
    [`{"data": ${"[".repeat(200)}`, `is not JSON: "{"data": ${"[".repeat(91)}…"`],
  ])("reports that the answer %j %s", (text, what) => {
    const id = "listSubgraphs";
    expect(() => checkAnswer({ ...operationOf(id), id }, text, ["t0ken"])).toThrow(
      expect.objectContaining({
        name: "ApiAnswerError",
        operation: id,
        message: `the API's answer to ${id} ${what}`,
      }),
    );
  });

  it("accepts any answer but a page where the contract describes none", () => {
    const id = "pauseSubgraph";
    expect(checkAnswer({ ...operationOf(id), id }, "ok", [])).toBeUndefined();
    expect(() => checkAnswer({ ...operationOf(id), id }, "\n<html>", [])).toThrow('is not JSON: "<html>"');
  });
});

function deployment(more: object): object {
  return {
    deployment_id: "Qm",
    created_at: "2026-01-01T00:00:00Z",
    health: "HEALTHY",
    synced: true,
    fatal_error: null,
    non_fatal_errors: [],
    ...more,
  };
}

describe("an answer with a secret", () => {
  it.each([
    "createWebhook",
    "createEdgeEndpoint",
    "revealEdgeEndpointKey",
    "revealSecret",
  ] as const)("is not quoted when it is truncated: %s", (id) => {
    const text = '{"data": {"value": {"password": "hunter2"';
    expect(() => checkAnswer({ ...operationOf(id), id }, text, [])).toThrow(/ is not JSON$/);
  });
});
