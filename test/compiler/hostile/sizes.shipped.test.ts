import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { workplace } from "../../cli/harness.js";
import { everything } from "../write/harness.js";
import { address } from "./harness.js";

/* Each in a process of its own that may not have more memory than this, with the command line as users have it. */

const megabytes = 1500;
const program = fileURLToPath(new URL("../../../dist/cli/main.js", import.meta.url));

interface Ended {
  readonly code: number | string | null | undefined;
  readonly err: string;
}

function ended(cwd: string): Promise<Ended> {
  const args = [`--max-old-space-size=${megabytes}`, program, "compile", "c.json", "--out", "out"];
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

const many = <T>(length: number, make: (index: number) => readonly [string, T]): Record<string, T> =>
  Object.fromEntries(Array.from({ length }, (_, index) => make(index)));

const field = { "f uint256": "event.params.b" };

/** An ABI of 10 MB, most of it what compilers add for people. */
const huge = Array.from({ length: 8000 }, (_, index) => ({
  type: "event",
  name: `Event${index}`,
  anonymous: false,
  inputs: ["b", "c"].map((name) => ({ ...uint, name, internalType: "struct Some.Long.Name ".repeat(26) })),
}));

const cases: readonly (readonly [name: string, code: number, config: object])[] = [
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
    "10 MB in one expression",
    1,
    config({ entities: { X: { "f uint256": `event.params.a${"+event.params.a".repeat(600_000)}` } } }),
  ],
  ["10 MB of brackets", 1, config({ entities: { X: { "f uint256": "(".repeat(10_000_000) } } })],
  ["10 MB of text", 1, config({ entities: { X: { "f string": `"${"x".repeat(10_000_000)}"` } } })],
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
    config({ entities: { X: Array.from({ length: 100_000 }, () => ({ id: '"x"', mapping: field })) } }),
  ],
  ["100,000 instances", 1, config({}, { instances: Array.from({ length: 100_000 }, () => instance) })],
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

describe("very large", { timeout: 240_000 }, () => {
  it.each(cases)("%s end with code %i, in bounded memory", async (_, code, made) => {
    const cwd = workplace({ "c.json": JSON.stringify(made), "out/notes.txt": "theirs" });
    const outcome = await ended(cwd);
    expect(outcome.code, outcome.err.slice(0, 1000)).toBe(code);
    const target = Object.keys(everything(cwd)).filter((path) => path.startsWith("out/"));
    if (code === 0) expect(target).toContain("out/schema.graphql");
    else expect(target).toEqual(["out/notes.txt"]);
  });
});
