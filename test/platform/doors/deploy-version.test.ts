import { expect, test } from "vitest";
import { versionFor } from "../../../src/platform/doors/deploy-version.js";

test.each<[string, string | undefined, readonly string[], string]>([
  ["the label", "v0.0.1", [], "v0.0.1"],
  ["the label with a number where it is taken", "v1", ["v1", "v1-2"], "v1-3"],
  ["the label without characters that versions cannot have", " / my label! ", [], "my-label-"],
  ["the first characters of a long label", "x".repeat(300), [], "x".repeat(100)],
  ["1 without a label", undefined, ["v1"], "1"],
  ["the next number without a label", undefined, ["1", "7", "7.1"], "8"],
  ["the next number for a label of other characters", "ä", ["1"], "2"],
])("a version is named after %s", (_, label, taken, version) =>
  expect(versionFor(label, new Set(taken))).toBe(version));
