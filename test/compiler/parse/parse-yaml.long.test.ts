import { describe, expect, test } from "vitest";
import { digString, read, span } from "./harness.js";

describe("large YAML", () => {
  test("refuses aliases that multiply without bound", () => {
    const lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"];
    for (let i = 1; i < 12; i++)
      lines.push(
        `a${i}: &a${i} [${Array(10)
          .fill(`*a${i - 1}`)
          .join(", ")}]`,
      );
    const { found } = read("a.yaml", lines.join("\n"));
    expect(found).toHaveLength(1);
    expect(found[0]).toContain("yaml-aliases: aliases repeat more than 100000 values");
  });

  test("refuses merge keys that multiply without bound", () => {
    const lines = ["a0: &a0 { x: 1 }"];
    for (let i = 1; i < 30; i++) lines.push(`a${i}: &a${i} { <<: [*a${i - 1}, *a${i - 1}, *a${i - 1}] }`);
    expect(read("a.yaml", lines.join("\n")).found.join()).toContain("yaml-aliases");
  });

  test("reads a megabyte of folded text", () => {
    const node = digString(read("a.yaml", `k: >\n${"  word\n".repeat(150_000)}`).tree, "k");
    expect(span(node.part(5 * 149_999, 5 * 149_999 + 4))).toBe("150001:3-150001:7");
  });
});
