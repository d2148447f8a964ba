import { expect, it } from "vitest";
import { deployedAt } from "../../src/deploy/deployed-at.js";
import { createNodeWorld } from "../../src/machine/world.js";

const page = "<html><title>a timeout occurred</title></html>";

it.each([
  [524, page, "It does not answer queries at the moment. Try again later, or pass the deployment id"],
  [503, page, "Try again later"],
  [401, "{}", "It may require an API key in its address"],
  [200, page, "Pass the address for queries of a subgraph"],
])("the error names what to try when an endpoint answers with status %d and without a deployment id", async (status, body, remedy) => {
  let requests = 0;
  const world = {
    ...createNodeWorld(),
    sleep: async () => undefined,
    fetch: async () => {
      requests += 1;
      return new Response(body, { status });
    },
  };
  await expect(deployedAt("https://subgraphs.example/query", world)).rejects.toThrow(
    new RegExp(`answered with status ${status} and without a deployment id\\. .*${remedy}`),
  );
  expect(requests).toBe(status >= 500 ? 3 : 1);
});
