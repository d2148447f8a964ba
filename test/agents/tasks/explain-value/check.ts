import { readFileSync } from "node:fs";
import { join } from "node:path";
import { answerOf, workFile } from "../../runner/answer.js";
import type { Task } from "../../runner/task.js";

export const explainValue: Task = {
  id: "explain-value",
  abis: ["Token"],
  async check(place) {
    const given = readFileSync(
      join(place.root, "test/agents/tasks/explain-value/start/subgraph.json"),
      "utf8",
    );
    if (workFile(place, "subgraph.json") !== given) return "subgraph.json was changed";
    const { line } = answerOf(place, ["line"]);
    // The only expression that takes 18 for the decimals of every token.
    const at = given.split("\n").findIndex((text) => text.includes("pow(18)")) + 1;
    return Number(line) === at ? undefined : `line ${line} does not cause it`;
  },
};
