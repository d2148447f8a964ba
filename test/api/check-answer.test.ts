import { describe, expect, it } from "vitest";
import { operationOf } from "../../src/api/api-document.js";
import { checkAnswer } from "../../src/api/check-answer.js";
import type { Subgraph } from "../../src/api/contract.js";

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

describe("an answer", () => {
  it.each<[string, unknown]>([
    ["as the contract has it", page(subgraph)],
    ["with words that are not known yet", page({ ...subgraph, status: "RESTING", health: "" })],
    ["with fields that are not known yet", { ...(page({ ...subgraph, shard: 7 }) as object), more: [] }],
    [
      "with dates of another form",
      page({ ...subgraph, deployments: [deployment({ created_at: "yesterday" })] }),
    ],
  ])("fits %s", (_, value) => {
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
  ])("that %s does not", (what, value) => {
    expect(() => check(value)).toThrow(
      expect.objectContaining({ message: `the API's answer to listSubgraphs ${what}` }),
    );
  });

  it.each([
    ["", "is empty, but JSON was expected"],
    ["<html>\u001b[2J", 'is not JSON: "<html>\\u001b[2J"'],
    ["your t0ken is wrong", 'is not JSON: "your … is wrong"'],
    [`{"data": ${"[".repeat(200)}`, `is not JSON: "{"data": ${"[".repeat(91)}…"`],
  ])("has to be JSON", (text, what) => {
    const id = "listSubgraphs";
    expect(() => checkAnswer({ ...operationOf(id), id }, text, ["t0ken"])).toThrow(
      expect.objectContaining({
        name: "ApiAnswerError",
        operation: id,
        message: `the API's answer to ${id} ${what}`,
      }),
    );
  });

  it("of which nothing is known may be anything but a page", () => {
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

describe("an answer that is a secret", () => {
  it.each([
    "createWebhook",
    "createEdgeEndpoint",
    "revealEdgeEndpointKey",
    "revealSecret",
  ] as const)("is not quoted when it is cut: %s", (id) => {
    const text = '{"data": {"value": {"password": "hunter2"';
    expect(() => checkAnswer({ ...operationOf(id), id }, text, [])).toThrow(/ is not JSON$/);
  });
});
