import { expect, it } from "vitest";
import { shortened } from "../../../src/pipelines/tasks/pipeline-task.js";

it("shortened cuts long lists and long texts at any depth, and says how long a text was", () => {
  const value = { all: [1, 2, 3].map((id) => ({ id, text: "x".repeat(1_001) })), none: null, short: "y" };
  expect(shortened(value, 2)).toEqual({
    all: [1, 2].map((id) => ({ id, text: `${"x".repeat(1_000)}… (1001 characters)` })),
    none: null,
    short: "y",
  });
});
