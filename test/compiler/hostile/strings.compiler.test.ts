// biome-ignore-all lint/suspicious/noTemplateCurlyInString: texts of another language
import { describe, expect, it } from "vitest";
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
/** Where an expression stands: a text that is one, such as a string literal, is right there. */
const expressions: readonly (keyof Texts)[] = ["value", "id", "source", "params", "pre", "post"];

const contents = ({ files }: Compilation): [string, string][] =>
  [...files].map(([path, content]) => [path, String(content)]);

describe.each(Object.entries(injections))("%s", (kind, text) => {
  it.each(places)("as %s ends in an error, or is nowhere to be seen, in JSON and in YAML", async (place) => {
    const outcome = await compiled(configuration({ [place]: text }));
    if (outcome.ok) {
      // White space around a field's name is not part of it; a byte order mark is white space.
      const isTrimmed = place === "field" && kind === "a byte order mark";
      if (!isTrimmed) expect(expressions).toContain(place);
      for (const [path, content] of outcome.files)
        if (isTrimmed || !path.startsWith("src/")) expect(content).not.toContain(text);
    } else expect(errorsOf(outcome)).not.toEqual([]);

    // The same in YAML is the same tree, of which all that follows is made: for one place of each kind, that is seen too.
    // YAML is a text of characters; half a character has no way into one.
    if (/[\ud800-\udfff]/.test(text)) return;
    const config = configuration({ [place]: text });
    expect(await yamlTree(stringify(config))).toBe(JSON.stringify(config));
    if (places[Object.keys(injections).indexOf(kind) % places.length] !== place) return;
    const yaml = await compiledYaml(stringify(config));
    expect(errorsOf(yaml).sort()).toEqual(errorsOf(outcome).sort());
    expect(contents(yaml)).toEqual(contents(outcome));
  });

  it.each(places)("behind a right %s is an error, or nowhere to be seen", async (place) => {
    const { ok, files } = await compiled(configuration({ [place]: harmless[place] + text }));
    if (ok) expect(expressions).toContain(place);
    for (const [path, content] of files) if (!path.startsWith("src/")) expect(content).not.toMatch(/PWN/);
  });
});

describe("names objects have by birth", () => {
  const names = [
    "__proto__",
    "constructor",
    "toString",
    "hasOwnProperty",
    "valueOf",
    "prototype",
    "__defineGetter__",
  ];
  it.each(
    names.flatMap((name) => places.map((place) => [name, place] as const)),
  )("%s as %s is an error or a name like any other", async (name, place) => {
    const outcome = await compiled(configuration({ [place]: name }));
    expect(outcome.diagnostics.map(({ message }) => message).join()).not.toMatch(/native code|\[object/);
    for (const content of outcome.files.values()) expect(content).not.toMatch(/native code|\[object/);
  });
  it("leaves the prototype of all objects alone", () => {
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect(({} as Record<string, unknown>).path).toBeUndefined();
  });
});

describe("very long texts", () => {
  it.each(places)("as %s end soundly", async (place) => {
    // The key of a declared call is limited by YAML: see ../property/found.compiler.test.ts.
    const length = place === "ref" ? 1000 : 20_000;
    await compiled(configuration({ [place]: "x".repeat(length) }));
    await compiled(configuration({ [place]: `${harmless[place]}${"(".repeat(200)}` }));
  });
  // Deeper ones: see ../property/found.compiler.test.ts.
  it.each(["[", "(", "!", "-", "a?", "a.", "a+", "`${", "x=>", "<A>"])("of %s as a value", async (text) => {
    const outcome = await compiled(configuration({ value: text.repeat(200) }));
    expect(errorsOf(outcome)).not.toEqual([]);
  });
});

describe("texts that are data", () => {
  it.each(Object.entries(injections))("%s in a string literal stays one", async (_, text) => {
    const value = JSON.stringify(text);
    const outcome = await checked(
      configuration({ field: "text", fieldType: "string", value, id: value, listEntity: "Balance" }),
      {
        asc,
      },
    );
    // The list's field `n` is a number, so the same text there is an error of types and of nothing else.
    for (const code of errorsOf(outcome))
      expect(["field-type-conflict", "expression-type", "expression-syntax", "duplicate-entity"]).toContain(
        code,
      );
  });

  // A line separator: see ../property/found.compiler.test.ts.
  const data = Object.entries(injections).filter(([kind]) => kind !== "a line separator");
  it.each(data)("%s in the id of an entity is kept as it is", async (_, text) => {
    const id = JSON.stringify(text);
    const outcome = await checked(configuration({ id }), { asc });
    expect(errorsOf(outcome)).toEqual([]);
    const mapping = String(outcome.files.get("src/vault.ts") ?? outcome.files.get("src/Vault.ts"));
    expect(mapping).toContain(id);
    expect(mapping.split("PWN")).toHaveLength(id.split("PWN").length);
    for (const [path, content] of outcome.files)
      if (!path.startsWith("src/")) expect(String(content)).not.toMatch(/PWN/);
  });
});
