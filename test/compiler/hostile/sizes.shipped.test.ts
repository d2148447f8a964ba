import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { workplace } from "../../cli/harness.js";
import { everything } from "../write/harness.js";
import { address } from "./harness.js";

/*
 * Each case runs the shipped command line in a separate process with limited memory. Cases of many things take minutes,
 * so by default a test tries one of 200 in less memory. `npm run campaign:sizes` tries all of them. Cases of one
 * large text always have their full size.
 */

const share = Number(process.env.GRAPHLOOM_SIZES ?? 0.005);
const megabytes = 1500;
/** Memory that every compilation needs. */
const fewerMegabytes = Math.ceil(200 + 1300 * share);
const program = fileURLToPath(new URL("../../../dist/cli/main.js", import.meta.url));

interface Ended {
  readonly code: number | string | null | undefined;
  readonly err: string;
}

function ended(cwd: string, memory: number): Promise<Ended> {
  const args = [`--max-old-space-size=${memory}`, program, "compile", "c.json", "--out", "out"];
  return new Promise((resolve) => {
    execFile(process.execPath, args, { cwd, maxBuffer: 2 ** 30, timeout: 200_000 }, (error, _, err) =>
      resolve({ code: error ? (error.code ?? error.signal) : 0, err }),
    );
  });
}

const uint = { name: "a", type: "uint256", indexed: false };
const instance = { abi: "A", address, startBlock: 1, chain: "mainnet" };
const small = [{ type: "event", name: "E", anonymous: false, inputs: [uint] }];

const config = (handler: object, more: object = {}): object => ({
  version: "1",
  abis: { A: small },
  instances: [{ ...instance, enrich: { handlers: { E: handler } } }],
  ...more,
});

const some = <T>(all: number, make: (index: number) => T): T[] =>
  Array.from({ length: Math.ceil(all * share) }, (_, index) => make(index));

const many = <T>(all: number, make: (index: number) => readonly [string, T]): Record<string, T> =>
  Object.fromEntries(some(all, make));

const field = { "f uint256": "event.params.b" };

/** An ABI of 10 MB, most of it documentation that compilers add. */
const huge = some(8000, (index) => ({
  type: "event",
  name: `Event${index}`,
  anonymous: false,
  inputs: ["b", "c"].map((name) => ({ ...uint, name, internalType: "struct Some.Long.Name ".repeat(26) })),
}));

type Case = readonly [name: string, code: number, config: object];

const manyThings: readonly Case[] = [
  ["an ABI of 10 MB", 0, { version: "1", abis: { A: huge }, instances: [instance] }],
  [
    "10 MB in a thousand expressions",
    1,
    config({
      entities: many(10, (entity) => [
        `X${entity}`,
        many(100, (at) => [`f${at} uint256`, `event.params.a${".plus(event.params.a)".repeat(480)}`]),
      ]),
    }),
  ],
  [
    "100,000 handlers",
    1,
    {
      ...config({}),
      instances: [
        { ...instance, enrich: { handlers: many(100_000, (i) => [`E${i}(uint)`, { entities: {} }]) } },
      ],
    },
  ],
  ["100,000 calls", 1, config({ calls: many(100_000, (i) => [`c${i}`, { name: "no" }]), entities: {} })],
  ["100,000 entities", 1, config({ entities: many(100_000, (i) => [`X${i}`, field]) })],
  [
    "100,000 fields",
    1,
    config({ entities: { X: many(100_000, (i) => [`f${i} uint256`, "event.params.b"]) } }),
  ],
  [
    "100,000 entities of a list",
    1,
    config({ entities: { X: some(100_000, () => ({ id: '"x"', mapping: field })) } }),
  ],
  ["100,000 instances", 1, config({}, { instances: some(100_000, () => instance) })],
  [
    "100,000 ABIs",
    0,
    { version: "1", abis: { A: small, ...many(100_000, (i) => [`A${i}`, small]) }, instances: [instance] },
  ],
  [
    "100,000 unknown settings",
    1,
    config(
      { entities: {} },
      many(100_000, (i) => [`k${i}`, 1]),
    ),
  ],
];

const oneText: readonly Case[] = [
  [
    "10 MB in one expression",
    1,
    config({ entities: { X: { "f uint256": `event.params.a${"+event.params.a".repeat(600_000)}` } } }),
  ],
  ["10 MB of brackets", 1, config({ entities: { X: { "f uint256": "(".repeat(10_000_000) } } })],
  ["10 MB of text", 1, config({ entities: { X: { "f string": `"${"x".repeat(10_000_000)}"` } } })],
];

describe.each([
  ["one text", oneText, megabytes],
  [`many things (${share * 100} % of them)`, manyThings, fewerMegabytes],
] as const)("very large: %s", (_, cases, memory) => {
  it.each(cases)("%s: exits with code %i, in bounded memory", async (_name, code, made) => {
    const cwd = workplace({ "c.json": JSON.stringify(made), "out/notes.txt": "theirs" });
    const outcome = await ended(cwd, memory);
    expect(outcome.code, outcome.err.slice(0, 1000)).toBe(code);
    const target = Object.keys(everything(cwd)).filter((path) => path.startsWith("out/"));
    if (code === 0) expect(target).toContain("out/schema.graphql");
    else expect(target).toEqual(["out/notes.txt"]);
  });
});
