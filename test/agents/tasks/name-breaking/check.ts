import { answerOf } from "../../runner/answer.js";
import { graphloomJson } from "../../runner/product.js";
import type { Task } from "../../runner/task.js";

export const nameBreaking: Task = {
  id: "name-breaking",
  abis: ["Token"],
  async check(place) {
    const { file, field } = answerOf(place, ["file", "field"]);
    for (const proposed of ["first.json", "second.json"]) {
      const args = ["diff", "current.json", proposed, "--output", "json"];
      const { schema } = (await graphloomJson(place, args, [0, 4])) as Difference;
      const broken = schema.filter(({ breaking }) => breaking).map(({ name }) => name);
      if (broken.length > 0 !== (file === proposed)) return `${file} is not the one that breaks queries`;
      if (file === proposed && !broken.includes(String(field))) return `${field} breaks no query`;
    }
    return undefined;
  },
};

interface Difference {
  readonly schema: readonly { readonly name: string; readonly breaking: boolean }[];
}
