import { describe, expect, it } from "vitest";
import { compiledYaml, errorsOf, harmless } from "./harness.js";

/** A hundred thousand with `npm run campaign:sizes`, a tenth of that by default. */
const many = Math.ceil(100_000 * Number(process.env.GRAPHLOOM_SIZES ?? 0.1));

const head = 'version: "1"\nname: a\n';
const tail = `abis: { Vault: { path: v.json } }
instances:
- { abi: Vault, address: "${harmless.address}", startBlock: 1, chain: mainnet }
`;

describe("a YAML feature that JSON lacks:", () => {
  it("the valid configuration uses none", async () => {
    expect(errorsOf(await compiledYaml(head + tail))).toEqual([]);
  });

  it.each<[string, string]>([
    ["a function", `${head}${tail}chains: !!js/function "function () { PWNED() }"\n`],
    ["an object of another language", `${head}${tail}chains: !!python/object/apply:os.system ["PWNED"]\n`],
    ["a foreign tag", `%TAG !x! tag:evil.example,2000:\n---\n${head}${tail}chains: !x!y PWNED\n`],
    ["a set", `${head}${tail}chains: !!set { PWNED }\n`],
    ["bytes", `version: !!binary "MQ=="\n${tail}`],
    ["a merge of the prototype", `${head}${tail}<<: { __proto__: { PWNED: 1 } }\n`],
    ["a merge of a value that is not a map", `${head}${tail}<<: PWNED\n`],
    ["a prototype", `${head}${tail}__proto__: { PWNED: 1 }\n`],
    ["a constructor", `${head}${tail}constructor: { prototype: { PWNED: 1 } }\n`],
    ["a key that is a map", `${head}${tail}? { PWNED: 1 }\n: 2\n`],
    ["a key that is a list", `${head}${tail}? [PWNED]\n: 2\n`],
    ["a key that is null", `${head}${tail}? \n: PWNED\n`],
    ["an alias without an anchor", `${head}${tail}chains: *PWNED\n`],
    ["an alias inside its own anchor", `${head}${tail}chains: &a [*a]\n`],
    ["a map that holds itself", `&a\n${head}${tail}chains: *a\n`],
    ["two documents", `${head}${tail}---\n${head}${tail}`],
    ["a key twice", `${head}${tail}name: PWNED\n`],
    ["a number for the version", `version: 1\n${tail}`],
    ["a hexadecimal version", `version: 0x1\n${tail}`],
    ["a word for a switch", `${head}${tail}enableCallHandlers: yes\n`],
    ["a number for an address", `${head}${tail.replaceAll(/"(0x\w+)"/g, "$1")}`],
    ["a date for a block", `${head}${tail.replace("startBlock: 1", "startBlock: 2020-01-01")}`],
    ["not a number for a block", `${head}${tail.replace("startBlock: 1", "startBlock: .nan")}`],
    ["an infinite block", `${head}${tail.replace("startBlock: 1", "startBlock: .inf")}`],
    ["a tab before a key", `${head}${tail}\tchains: [a]\n`],
    ["a lone surrogate", `${head}${tail}chains: ["\\ud800"]\nPWNED: 1\n`],
    ["an end without a start", `${head}${tail}...\n%PWNED\n`],
  ])("%s is an error", async (_, text) => {
    const outcome = await compiledYaml(text);
    expect(errorsOf(outcome)).not.toEqual([]);
    expect(({} as Record<string, unknown>).PWNED).toBeUndefined();
  });

  it.each<[string, string]>([
    ["a NUL", `${head}${tail}chains: ["a\0"]\n`],
    ["a bell", `${head}${tail}chains: [\u0007]\n`],
    ["aliases that multiply", aliases(40, 10)],
    ["aliases that double", aliases(60, 2)],
    ["merges that multiply", merges(40, 10)],
    ["very many aliases of one string", `${head}${tail}chains: [&a x${", *a".repeat(many)}]\n`],
    ["very many anchors", `${head}${tail}chains: [${Array.from({ length: many }, (_, i) => `&a${i} x`)}]\n`],
    ["very many documents", `${head}${tail}${"---\na: 1\n".repeat(many)}`],
    ["very many comments", `${head}${"# c\n".repeat(many)}${tail}`],
  ])("%s give a result or errors", async (_, text) => {
    expect((await compiledYaml(text)).diagnostics).toBeDefined();
  });
});

/** Lists of lists, each of which contains the previous one `width` times. */
function aliases(depth: number, width: number): string {
  const lists = Array.from({ length: depth }, (_, level) => {
    const item = level === 0 ? "x" : `*l${level - 1}`;
    return `- &l${level} [${Array.from({ length: width }, () => item).join(", ")}]\n`;
  });
  return `${head}${tail}chains:\n${lists.join("")}`;
}

/** Maps of maps, merged into each other. */
function merges(depth: number, width: number): string {
  const maps = Array.from({ length: depth }, (_, level) => {
    const item = level === 0 ? "{ a: 1 }" : `*m${level - 1}`;
    return `- &m${level} { <<: [${Array.from({ length: width }, () => item).join(", ")}], k${level}: 1 }\n`;
  });
  return `${head}${tail}chains:\n${maps.join("")}`;
}
