import { answerOf } from "../../runner/answer.js";
import { graphloomJson } from "../../runner/product.js";
import type { Task } from "../../runner/task.js";

const until = 8_214_360;

export const planRun: Task = {
  id: "plan-run",
  abis: ["Exchange", "Market"],
  async check(place) {
    const { blocks, requests } = answerOf(place, ["blocks", "requests"]);
    const args = ["plan", "subgraph.json", "--to-block", String(until), "--output", "json"];
    const { sepolia } = (await graphloomJson(place, args)) as { readonly sepolia: ChainPlan };
    if (Number(blocks) !== sepolia.blocks) return `it reads ${sepolia.blocks} blocks, not ${blocks}`;
    const planned = sepolia.methods.reduce((sum, { calls }) => sum + calls.estimate, 0);
    const isNear = Math.abs(Number(requests) - planned) <= planned / 5;
    return isNear ? undefined : `it sends about ${planned} requests, not ${requests}`;
  },
};

interface ChainPlan {
  readonly blocks: number;
  readonly methods: readonly { readonly calls: { readonly estimate: number } }[];
}
