import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { useFolder } from "../../support/folder.js";

describe("a process", () => {
  const folder = useFolder();

  function run(body: string) {
    const module = resolve("dist/machine/compiler/asc.js");
    const script = join(folder, "script.mjs");
    writeFileSync(
      script,
      `import { startAsc } from ${JSON.stringify(module)};\nconst asc = startAsc();\n${body}`,
    );
    return spawnSync(process.execPath, [script], { encoding: "utf8", timeout: 110_000 });
  }
  const input = (text: string) => {
    const files = JSON.stringify([["a.ts", text]]);
    return `{ entry: "a.ts", files: new Map(${files}), graphTs: new Map(), expressions: [], mode: "check" }`;
  };
  const endless = input(
    "class E extends E { constructor() { super(); this.b(); } } export function a(): void { new E(); }",
  );

  test("that never compiles exits by itself", () => {
    expect(run("")).toMatchObject({ status: 0, stdout: "", stderr: "" });
  });

  test("exits by itself after a compilation, a crash and a timeout, and prints nothing", () => {
    const sound = input("export function a(): i32 { return 1; }");
    const crashing = input("export function memory(): void {}");
    const result = run(
      [
        `const kinds = [];`,
        `for (const i of [${sound}, ${crashing}]) kinds.push((await asc.compile(i)).kind);`,
        `kinds.push((await asc.compile(${endless}, { timeoutSeconds: 1 })).kind);`,
        `process.exitCode = kinds.join() === "compiled,crashed,hung" ? 0 : 9;`,
      ].join("\n"),
    );
    expect(result).toMatchObject({ status: 0, stdout: "", stderr: "" });
  });

  test("can exit while the compiler hangs", () => {
    const result = run([`asc.compile(${endless});`, `setTimeout(() => process.exit(3), 1000);`].join("\n"));
    expect(result.status).toBe(3);
  });
});
