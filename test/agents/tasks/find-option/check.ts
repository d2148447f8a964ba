import { answerOf } from "../../runner/answer.js";
import { graphloom } from "../../runner/product.js";
import type { Task } from "../../runner/task.js";

/** The command and the option of each question. */
const options = {
  requests: [["serve"], "--requests-per-second"],
  patience: [["run"], "--patience"],
  failing: [["pipeline", "run"], "--fail-fast"],
} as const;

export const findOption: Task = {
  id: "find-option",
  async check(place) {
    const answer = answerOf(place, ["requests", "patience", "failing"]);
    for (const question of ["requests", "patience", "failing"] as const) {
      const [command, option] = options[question];
      const { out } = await graphloom(place, [...command, "--help"]);
      if (!out.includes(option)) throw new Error(`graphloom ${command.join(" ")} has no option ${option}`);
      if (answer[question] !== option) return `${answer[question]} is not the option of ${question}`;
    }
    return undefined;
  },
};
