import { expect, test } from "vitest";
import { runAsc } from "../../../src/compiler/asc/asc-run.js";
import { loadAsc } from "../../../src/compiler/asc/load-asc.js";
import { handler } from "./harness.js";

interface Source {
  readonly normalizedPath: string;
}

interface Parser {
  readonly sources: readonly Source[];
}

type ParseFile = (this: Parser, ...args: unknown[]) => void;

/** The contents of an object, except its cache of the last line looked up. */
function held(one: object): readonly unknown[] {
  const entries = one instanceof Map || one instanceof Set ? [...one.entries()] : Object.entries(one);
  return entries.filter(([name]) => name !== "lineCache" && name !== "lineColumn").flat();
}

/** Everything that parsed files refer to, object by object. */
function contents(roots: readonly object[]): Map<object, readonly unknown[]> {
  const found = new Map<object, readonly unknown[]>();
  const open = [...roots];
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    if (found.has(one)) continue;
    const own = held(one);
    found.set(one, own);
    for (const value of own) if (typeof value === "object" && value !== null) open.push(value);
  }
  return found;
}

test("the compiler parses library files once, and compiling does not change them", async () => {
  const loaded = await loadAsc(async () => undefined);
  const used: Source[] = [];
  const { prototype } = loaded.internals.Parser as unknown as { prototype: { parseFile: ParseFile } };
  const parseFile = prototype.parseFile;
  let parsed: string[] = [];
  prototype.parseFile = function (...args) {
    const before = this.sources.length;
    parseFile.apply(this, args);
    const added = this.sources.slice(before);
    parsed.push(...added.map(({ normalizedPath }) => normalizedPath));
    used.push(...added.filter(({ normalizedPath }) => !normalizedPath.startsWith("src/")));
  };
  try {
    const body =
      "let sum = event.block.number.plus(event.logIndex); assert(sum.toString().split('1').length > 0);";
    const inputs = [
      handler(body),
      { ...handler(body), mode: "fast" as const },
      handler("let x: string = event.block.number; [event.address].sort();"),
    ];
    const first = inputs.map((input) => runAsc(loaded, input, []));
    expect(first.map(({ kind }) => kind)).toEqual(["compiled", "compiled", "rejected"]);
    expect(parsed).toContain("~lib/array.ts");
    expect(used.length).toBeGreaterThan(60);

    parsed = [];
    const before = contents(used);
    expect(inputs.map((input) => runAsc(loaded, input, []))).toEqual(first);
    const changed = [...before].filter(([one, own]) => {
      const now = held(one);
      return own.length !== now.length || own.some((value, index) => !Object.is(value, now[index]));
    });
    expect(changed.map(([one]) => one)).toEqual([]);
    const again = parsed.filter(
      (path) => !path.startsWith("src/") && !/\/(index-stub|global)\.ts$/.test(path),
    );
    expect(again).toEqual([]);
  } finally {
    prototype.parseFile = parseFile;
  }
});
