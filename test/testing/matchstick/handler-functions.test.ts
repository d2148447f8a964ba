import { describe, expect, it } from "vitest";
import { findHandlers, reportHandlers } from "../../../src/testing/matchstick/handler-functions.js";

async function functionsIn(
  files: Readonly<Record<string, string>>,
  ...handlers: readonly string[]
): Promise<readonly string[]> {
  const sources = [{ name: "Token", mapping: "src/mapping.ts", handlers }];
  const found = await findHandlers(sources, async (path) => files[path]);
  return found.map(({ file, name }) => `${file} ${name}`);
}

describe("the function of a handler", () => {
  it.each([
    [
      "it is defined in the mapping",
      "export function handle(event: E): void {}",
      {},
      "src/mapping.ts handle",
    ],
    ["it is exported below", "function handle(): void {}\nexport { handle };", {}, "src/mapping.ts handle"],
    [
      "it has another name",
      "function other(): void {}\nexport { other as handle }",
      {},
      "src/mapping.ts other",
    ],
    [
      "another file defines it",
      'export { a as handle, b } from "./more"',
      { "src/more.ts": "export function a(): void {}" },
      "src/more.ts a",
    ],
    [
      "another file exports all",
      "export * from './none';\nexport * from '../lib'",
      { "lib/index.ts": "export function handle(): void {}" },
      "lib/index.ts handle",
    ],
    [
      "it is imported and exported",
      'import { a as b } from "./more";\nexport { b as handle };',
      { "src/more.ts": "export function a(): void {}" },
      "src/more.ts a",
    ],
  ])("is found if %s", async (_, mapping, more, expected) => {
    expect(await functionsIn({ "src/mapping.ts": mapping, ...more }, "handle")).toEqual([expected]);
  });

  it("is not found in comments and strings, or in circular exports", async () => {
    const mapping = `// function handle() {}
/* function handle() {} */ const a = "function handle() {}";
export * from "./more";
export function handled(): void {}`;
    const files = { "src/mapping.ts": mapping, "src/more.ts": 'export * from "./mapping";' };
    expect(await functionsIn(files, "handle", "ha+ndle", "handle(")).toEqual([]);
  });
});

it("a handler reports its number first, and no line moves", () => {
  const change = reportHandlers([
    { file: "a.ts", name: "first", handles: [] },
    { file: "b.ts", name: "first", handles: [] },
    { file: "a.ts", name: "second$", handles: [] },
  ]);
  const text = `// function first(
export function first(
  event: Event, // a ) here
  next: i32 = min(1, 2),
): void {
  second$();
}
export function second$(): void {}`;
  const changed = change("a.ts", text);
  expect(changed.slice(0, changed.indexOf("\n// @ts-ignore"))).toBe(
    text.replace("void {\n", "void { graphloomRanHandler(0);\n").replace("{}", "{ graphloomRanHandler(2);}"),
  );
  expect(change("c.ts", text)).toBe(text);
});
