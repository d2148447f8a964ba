import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { catalog, codes, isCode } from "../../../src/compiler/diagnostics/catalog.js";

const src = fileURLToPath(new URL("../../../src", import.meta.url));
const texts = readdirSync(src, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith(".ts") && !entry.parentPath.endsWith("catalog"))
  // These folders of the server use the error codes of databases and networks.
  .filter(
    ({ parentPath }) =>
      !/^(?:store|query|rpc|hosting|platform|web\/outgoing)/.test(relative(src, parentPath)),
  )
  .map(({ parentPath, name }) => readFileSync(join(parentPath, name), "utf8"));
/** The codes that the source composes: `${kind}-skipped`. */
const composed = ["event-skipped", "function-skipped"];

describe("the catalogue", () => {
  it("contains only codes that are used", () => {
    const all = texts.join("\n");
    expect(all).toContain(`\`\${kind}-skipped\``);
    expect(codes.filter((code) => !all.includes(`"${code}"`) && !composed.includes(code))).toEqual([]);
  });

  it("contains every code that is used", () => {
    const used = texts.flatMap((text) =>
      [
        ...text.matchAll(
          /\b(?:report\.(?:error|warning|note)|#fault|SyntaxFault|wrongValue)\(\s*"([^"]+)"|\bcode: "([^"]+)"/g,
        ),
      ].map(([, first, second]) => first ?? second ?? ""),
    );
    expect(used.length).toBeGreaterThan(60);
    expect(used.filter((code) => !isCode(code))).toEqual([]);
  });

  it.each(codes)("explains %s in the house style", (code) => {
    const { title, explanation, example } = catalog[code];
    expect(code).toMatch(/^[a-z0-9]+(-[a-z0-9]+)+$/);
    expect(title).toMatch(/^[a-zA-Z].*[^.]$/);
    expect(title.length).toBeLessThanOrEqual(80);
    const sentences = explanation.split(/(?<=[.])\s+(?=[A-Z]|\.json|graph)/);
    expect(sentences.length).toBeGreaterThanOrEqual(2);
    expect(sentences.length).toBeLessThanOrEqual(6);
    expect(explanation).toMatch(/\.$/);
    expect(explanation).not.toMatch(/[!?]|\bplease\b/i);
    expect(example.wrong).not.toBe(example.right);
  });

  it.each(["", "toString", "__proto__", "unknown"])("does not know %j", (text) => {
    expect(isCode(text)).toBe(false);
  });
});
