import { queryServer } from "../../runner/prices.js";
import { graphloomJson } from "../../runner/product.js";
import type { Task } from "../../runner/task.js";

export const deployTag: Task = {
  id: "deploy-tag",
  abis: ["Token"],
  needsServer: true,
  async check(place) {
    const args = ["subgraph", "list", "holders/prod", "--output", "json"];
    const [tagged] = (await graphloomJson(place, args)) as readonly Listed[];
    if (tagged?.tag?.target_version !== "1.0.0") return "the tag holders/prod does not point to 1.0.0";
    if (tagged.health !== "HEALTHY") return `holders/prod is ${tagged.health}`;
    const data = await queryServer(place, tagged.graphql_endpoint, "{ holders(first: 1) { id balance } }");
    return Array.isArray(data.holders) ? undefined : "holders/prod has no entity Holder";
  },
};

interface Listed {
  readonly tag?: { readonly target_version: string };
  readonly health: string;
  readonly graphql_endpoint: string;
}
