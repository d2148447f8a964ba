import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { World } from "../../src/base/world.js";
import type { Asker } from "../../src/rpc/asker.js";
import { Consumer } from "../../src/rpc/consumer.js";
import { Gateway } from "../../src/rpc/gateway.js";
import { realWorld } from "../support/worlds.js";
import { askerNamed } from "./asker-named.js";

interface Sent {
  readonly id: number;
  readonly method: string;
  readonly params: unknown;
}
interface Said {
  readonly id?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

/** A call: its question and the JSON of its id. A notification has no id. */
interface Wanted {
  readonly question: number;
  readonly id: string | undefined;
}

const hashOf = (number: number): string => `0x${number.toString(16).padStart(64, "0")}`;
/** Questions whose answers are cached forever, for a while and not at all. */
const questions: readonly (readonly [string, unknown])[] = [
  ["eth_getLogs", [{ blockHash: hashOf(1) }]],
  ["eth_getBlockByHash", [hashOf(2), true]],
  ["eth_getBalance", [hashOf(3), "0x10"]],
  ["eth_getCode", [hashOf(3), "0x10"]],
  ["eth_getBlockByNumber", ["0x3e7", false]],
  ["eth_getTransactionReceipt", [hashOf(4)]],
  ["eth_gasPrice", []],
  ["eth_syncing", undefined],
];
const truthOf = (method: string, params: unknown): unknown => ({ of: [method, params ?? null] });
const honest = ({ id, method, params }: Sent): Said => ({ id, result: truthOf(method, params) });

/** Ways a node can falsify its list of answers. No lie gives one call another call's result under its own id. */
const lies = {
  none: (said) => said,
  reversed: (said) => [...said].reverse(),
  missing: (said, chance) => said.filter((_, index) => index !== chance % said.length),
  doubled: (said, chance) => [...said, ...said.slice(chance % said.length)],
  "answered twice, the second time with the result of another": (said, chance) => {
    const [one, other] = [said[chance % said.length], said[(chance + 1) % said.length]];
    return [...said, { id: one?.id, result: other?.result }];
  },
  "given the id of another": (said, chance) =>
    said.map((each, index) =>
      index === chance % said.length ? { ...each, id: said[(chance + 1) % said.length]?.id } : each,
    ),
  "with answers to nobody": (said, chance) => [
    { id: chance, result: "nobody's" },
    ...said,
    { result: "nobody's" },
    { id: null, result: "nobody's" },
  ],
  "with the ids as texts": (said) => said.map((each) => ({ ...each, id: String(each.id) })),
  "errors in between": (said, chance) =>
    said.map(({ id, ...each }, index) =>
      index % 2 === chance % 2 ? { id, error: { code: 7, message: "no" } } : { id, ...each },
    ),
  "without ids": (said) => said.map(({ result }) => ({ result })),
} satisfies Record<string, (said: readonly Said[], chance: number) => readonly Said[]>;
type Lie = keyof typeof lies | "one error" | "nothing" | "no JSON" | "status 500";

const lie = fc.constantFrom<Lie[]>(
  ...(Object.keys(lies) as (keyof typeof lies)[]),
  "one error",
  "nothing",
  "no JSON",
  "status 500",
);
const id = fc.constantFrom(
  "1",
  "2",
  '"1"',
  "null",
  "1.5",
  "12345678901234567890",
  '{"a":[1]}',
  "true",
  undefined,
);
const batch = fc.record({
  asker: fc.constantFrom("ann", "bob", "a consumer"),
  calls: fc.array(fc.record({ question: fc.nat(questions.length - 1), id }), { minLength: 1, maxLength: 8 }),
  lie,
  chance: fc.nat(20),
  isAlone: fc.boolean(),
});

let closing: AbortController;
beforeEach(() => {
  closing = new AbortController();
});
afterEach(() => closing.abort());

/** A node that answers each exchange with the next lie in the queue, and honestly once the queue is empty. */
function lyingNode(queue: { readonly lie: Lie; readonly chance: number }[]): World {
  const respond = (sent: Sent | readonly Sent[]): Response => {
    const { lie, chance } = queue.shift() ?? { lie: "none", chance: 0 };
    if (lie === "status 500") return new Response("[]", { status: 500 });
    if (lie === "no JSON") return new Response('[{"id":1,"result":');
    if (lie === "nothing") return new Response("");
    if (lie === "one error") return Response.json({ id: 1, error: { code: -32600, message: "no batches" } });
    const said = lies[lie]([sent].flat().map(honest), chance);
    return Response.json(Array.isArray(sent) || said.length > 1 ? said : said[0]);
  };
  return { ...realWorld, fetch: async (_, { body }) => respond(JSON.parse(String(body))) };
}

function bodyOf(calls: readonly Wanted[]): string {
  const texts = calls.map(({ question, id }) => {
    const [method, params] = questions[question] ?? [];
    const named = id === undefined ? "" : `"id":${id},`;
    return `{${named}"method":"${method}"${params === undefined ? "" : `,"params":${JSON.stringify(params)}`}}`;
  });
  return `[${texts.join(",")}]`;
}

const gatewayOf = (world: World): Gateway =>
  new Gateway(
    ["http://node.test"],
    { places: { edge: 3 }, pollInterval: 1_000, cacheBytes: 1_000_000 },
    world,
    closing.signal,
  );

const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
/** The contents of answers, each with the JSON of its id as written. */
const written = (text: string): readonly (readonly [string, Said])[] =>
  [...text.matchAll(/\{"jsonrpc":"2\.0","id":(.*?),"(result|error)":/g)].map(([, id = ""], index) => [
    id,
    (JSON.parse(text) as Said[])[index] ?? {},
  ]);

describe("any answer of a node", () => {
  it("each call gets its own answer or an error, and only valid answers are cached", async () => {
    let [kept, told] = [0, 0];
    await fc.assert(
      fc.asyncProperty(fc.array(batch, { minLength: 1, maxLength: 6 }), async (batches) => {
        const queue = batches.map(({ lie, chance }) => ({ lie, chance }));
        const world = lyingNode(queue);
        const gateway = gatewayOf(world);
        const consumer = new Consumer(askerNamed("consumer"));
        const running: Promise<unknown>[] = [];
        for (const { asker, calls, isAlone } of batches) {
          const isConsumer = asker === "a consumer";
          const check = gateway
            .answer(isConsumer ? consumer : askerNamed(asker), bodyOf(calls))
            .then(({ status, bytes }) => {
              if (status !== 200) return;
              const text = textOf(bytes);
              const expected = calls.filter(({ id }) => id !== undefined);
              if (isConsumer && !text.startsWith("[")) return expect(text).not.toContain('"result"');
              if (expected.length === 0) return expect(text).toBe("");
              const answers = written(text);
              if (!isConsumer) expect(answers.map(([id]) => id)).toEqual(expected.map(({ id }) => id));
              for (const [index, [id, { result, error }]] of answers.entries()) {
                const candidates = isConsumer ? expected.filter((call) => call.id === id) : [expected[index]];
                const truths = candidates.map((call) =>
                  truthOf(...(questions[call?.question ?? -1] ?? ["", ""])),
                );
                if (error) expect(result).toBeUndefined();
                else expect(truths).toContainEqual(result);
                told += error ? 0 : 1;
              }
            });
          running.push(check);
          if (isAlone) await Promise.all(running);
        }
        await Promise.all(running);
        // From here on the node returns nothing, so every answer comes from the cache.
        queue.splice(
          0,
          queue.length,
          ...Array.from({ length: 100 }, () => ({ lie: "nothing", chance: 0 }) as const),
        );
        for (const [question, [method, params]] of questions.entries()) {
          const { status, bytes } = await gateway.answer(
            askerNamed("carol"),
            bodyOf([{ question, id: "9" }]),
          );
          expect(status).toBe(200);
          const [answer] = JSON.parse(textOf(bytes)) as Said[];
          if (answer?.error) continue;
          expect(answer?.result).toEqual(truthOf(method, params));
          kept += 1;
        }
      }),
      { numRuns: 150 },
    );
    expect(kept).toBeGreaterThan(50);
    expect(told).toBeGreaterThan(300);
  });

  it.each([
    "no JSON",
    "one error",
    "nothing",
  ] as const)("a consumer's notifications get no answer when a node answers with %s", async (lie) => {
    const gateway = gatewayOf(lyingNode([{ lie, chance: 0 }]));
    const { status, bytes } = await gateway.answer(
      new Consumer(askerNamed("consumer")),
      bodyOf([{ question: 0, id: undefined }]),
    );
    expect([status, textOf(bytes)]).toEqual([200, ""]);
  });

  it("two calls with the same id get separate answers", async () => {
    const gateway = gatewayOf(lyingNode([]));
    const calls = [
      { question: 2, id: "7" },
      { question: 3, id: "7" },
    ];
    const balance = truthOf(...(questions[2] ?? ["", ""]));
    const first = JSON.parse(textOf((await gateway.answer(askerNamed("ann"), bodyOf(calls))).bytes));
    expect(first).toMatchObject([{ result: balance }, { result: truthOf(...(questions[3] ?? ["", ""])) }]);
    const others = JSON.parse(
      textOf((await gateway.answer(askerNamed("bob"), bodyOf(calls.slice(0, 1)))).bytes),
    );
    expect(others).toMatchObject([{ id: 7, result: balance }]);
  });

  it.each([
    ["not JSON", "{", { id: null, error: { code: -32700 } }],
    ["an empty batch", "[]", { id: null, error: { code: -32600 } }],
    ["a number", "3", { id: null, error: { code: -32600 } }],
    ["a call without a method", '{"id":"x"}', { id: "x", error: { code: -32600 } }],
    [
      "parameters that are a text",
      '{"id":1,"method":"eth_call","params":"x"}',
      { id: 1, error: { code: -32600 } },
    ],
    [
      "parameters nested without end",
      `{"id":1,"method":"eth_call","params":${"[".repeat(100_000)}${"]".repeat(100_000)}}`,
      { id: 1, error: { code: -32600 } },
    ],
    [
      "a batch with what is no call",
      '[1,{"id":2,"method":"eth_gasPrice"}]',
      [{ id: null }, { id: 2, result: {} }],
    ],
  ])("a body that is %s gets a JSON-RPC answer without asking a node", async (_, body, expected) => {
    const { status, bytes } = await gatewayOf(lyingNode([])).answer(askerNamed("ann"), body);
    expect(status).toBe(200);
    expect(JSON.parse(textOf(bytes))).toMatchObject(expected);
  });
});

describe("a kept answer", () => {
  it("a caller that verifies answers gets a cached answer once, then the node's", async () => {
    let asked = 0;
    const world: World = {
      ...realWorld,
      fetch: async (_, { body }) => {
        asked += 1;
        const { id } = JSON.parse(String(body)) as Sent;
        return Response.json({ id, result: asked === 1 ? "a lie" : "the truth" });
      },
    };
    const gateway = gatewayOf(world);
    const logs = async (asker: Consumer | Asker): Promise<unknown> =>
      JSON.parse(textOf((await gateway.answer(asker, bodyOf([{ question: 0, id: "1" }]))).bytes))[0].result;
    const [judge, other] = [new Consumer(askerNamed("judge")), new Consumer(askerNamed("other"))];
    expect(await logs(judge)).toBe("a lie");
    expect(await logs(other)).toBe("a lie");
    expect(asked).toBe(1);
    expect(await logs(judge)).toBe("the truth");
    expect(await logs(askerNamed("anybody"))).toBe("the truth");
    expect(asked).toBe(2);
    expect(await logs(other)).toBe("the truth");
    expect(asked).toBe(3);
  });
});
