// biome-ignore-all lint/suspicious/noTemplateCurlyInString: strings of AssemblyScript
import { beforeAll, describe, expect, it } from "vitest";
import { stringify } from "yaml";
import type { Compilation } from "../../../src/compiler/compilation.js";
import { asc } from "../../support/compiler/asc.js";
import {
  checked,
  compiled,
  compiledYaml,
  configuration,
  errorsOf,
  harmless,
  type Texts,
  yamlTree,
} from "./harness.js";
import { injections } from "./injections.js";

const places = Object.keys(harmless) as (keyof Texts)[];
/** The places of expressions. A string that is a valid expression, such as a literal, is valid there. */
const expressions: readonly (keyof Texts)[] = ["value", "id", "source", "params", "pre", "post"];

/**
 * The places where a kind of string is tried alone, and those where it is tried behind a valid string. Each place is one
 * of the two, or both in `npm run campaign:properties`.
 */
function placesOf(kind: string): {
  readonly alone: readonly (keyof Texts)[];
  readonly behind: readonly (keyof Texts)[];
} {
  if (process.env.GRAPHLOOM_PROPERTY_RUNS !== undefined) return { alone: places, behind: places };
  const first = Object.keys(injections).indexOf(kind);
  return {
    alone: places.filter((_, index) => (first + index) % 2 === 0),
    behind: places.filter((_, index) => (first + index) % 2 === 1),
  };
}

const contents = ({ files }: Compilation): [string, string][] =>
  [...files].map(([path, content]) => [path, String(content)]);

describe.each(Object.entries(injections))("%s", (kind, text) => {
  const { alone, behind } = placesOf(kind);
  // YAML consists of whole characters, so it cannot contain half of one.
  const isText = !/[\ud800-\udfff]/.test(text);

  it("alone is an error, or does not appear in the output", async () => {
    for (const place of alone) {
      const outcome = await compiled(configuration({ [place]: text }));
      if (outcome.ok) {
        // White space around a field's name does not belong to it, and a byte order mark is white space.
        const isTrimmed = place === "field" && kind === "a byte order mark";
        if (!isTrimmed) expect(expressions).toContain(place);
        for (const [path, content] of outcome.files)
          if (isTrimmed || !path.startsWith("src/")) expect(content, place).not.toContain(text);
      } else expect(errorsOf(outcome), place).not.toEqual([]);

      // One place of each kind is enough to show that YAML, which gives the same tree, gives the same output.
      if (!isText || places[Object.keys(injections).indexOf(kind) % places.length] !== place) continue;
      const yaml = await compiledYaml(stringify(configuration({ [place]: text })));
      expect(errorsOf(yaml).sort()).toEqual(errorsOf(outcome).sort());
      expect(contents(yaml)).toEqual(contents(outcome));
    }
  });

  it.runIf(isText)("is the same in YAML at every place", async () => {
    const everywhere = Object.fromEntries(places.map((place) => [place, text])) as Record<
      keyof Texts,
      string
    >;
    const others = { ...everywhere, listEntity: harmless.listEntity };
    for (const config of [configuration(others), configuration({ listEntity: text })]) {
      const json = JSON.stringify(config);
      expect(await yamlTree(stringify(config))).toBe(json);
      expect(json).toContain(JSON.stringify(text).slice(1, -1));
    }
  });

  it("behind a valid text is an error, or does not appear in the output", async () => {
    for (const place of behind) {
      const { ok, files } = await compiled(configuration({ [place]: harmless[place] + text }));
      if (ok) expect(expressions).toContain(place);
      for (const [path, content] of files)
        if (!path.startsWith("src/")) expect(content, place).not.toMatch(/PWN/);
    }
  });
});

describe("names that JavaScript objects inherit", () => {
  const names = [
    "__proto__",
    "constructor",
    "toString",
    "hasOwnProperty",
    "valueOf",
    "prototype",
    "__defineGetter__",
  ];
  it.each(names)("%s as any text is an error or an ordinary name", async (name) => {
    for (const place of places) {
      const outcome = await compiled(configuration({ [place]: name }));
      const said = outcome.diagnostics.map(({ message }) => message).join();
      expect(said, place).not.toMatch(/native code|\[object/);
      for (const content of outcome.files.values())
        expect(content, place).not.toMatch(/native code|\[object/);
    }
  });
  it("do not change the prototype of objects", () => {
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect(({} as Record<string, unknown>).path).toBeUndefined();
  });
});

describe("very long strings", () => {
  it.each(places)("as %s give a result or errors", async (place) => {
    // YAML limits the key of a declared call: see ../property/found.compiler.test.ts.
    const length = place === "ref" ? 1000 : 20_000;
    await compiled(configuration({ [place]: "x".repeat(length) }));
    await compiled(configuration({ [place]: `${harmless[place]}${"(".repeat(200)}` }));
  });
  // Deeper ones: see ../property/found.compiler.test.ts.
  it.each([
    "[",
    "(",
    "!",
    "-",
    "a?",
    "a.",
    "a+",
    "`${",
    "x=>",
    "<A>",
  ])("of repeated %s as a value give a result or errors", async (text) => {
    const outcome = await compiled(configuration({ value: text.repeat(200) }));
    expect(errorsOf(outcome)).not.toEqual([]);
  });
});

describe("strings that are data", () => {
  // A line separator: see ../property/found.compiler.test.ts.
  const data = Object.entries(injections).filter(([kind]) => kind !== "a line separator");
  const literals = data.map(([, text]) => JSON.stringify(text));
  let outcome: Compilation;
  // One program has all of them, because compiling one takes as long.
  beforeAll(async () => {
    outcome = await checked(holding(literals), { asc });
  });

  it("are compiled", () => {
    expect(errorsOf(outcome)).toEqual([]);
  });

  it.each(data)("%s in a field and in the id of an entity is kept unchanged", (kind) => {
    const index = data.findIndex(([name]) => name === kind);
    const mapping = mappingOf(outcome);
    expect(mapping).toContain(`let text${index}Id: string =\n    ${literals[index]};`);
    expect(mapping).toContain(`text${index}.text =\n    ${literals[index]};`);
  });

  it("appear nowhere else", () => {
    const others = literals.reduce((text, literal) => text.replaceAll(literal, ""), mappingOf(outcome));
    expect(others).not.toMatch(/PWN/);
    for (const [path, content] of outcome.files)
      if (!path.startsWith("src/")) expect(String(content)).not.toMatch(/PWN/);
  });
});

/** A configuration with an entity for each literal, which is its id and its field. */
function holding(literals: readonly string[]): unknown {
  const entities = literals.map((literal, index) => [
    `Text${index}`,
    [{ id: literal, explicit_id: true, mapping: { "text string": literal } }],
  ]);
  const instance = { abi: "Vault", address: harmless.address, startBlock: 1, chain: harmless.chain };
  return {
    version: "1",
    abis: { Vault: { path: "v.json" } },
    instances: [
      {
        ...instance,
        enrich: { handlers: { [harmless.signature]: { entities: Object.fromEntries(entities) } } },
      },
    ],
  };
}

const mappingOf = ({ files }: Compilation): string =>
  String(files.get("src/vault.ts") ?? files.get("src/Vault.ts"));
