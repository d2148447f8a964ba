import { describe, expect, test } from "vitest";
import { a, buildScenario, instance } from "./harness.js";
import { type Emitted, play } from "./play.js";

/** What a data source stores of these events, when its ABI consists of them. */
async function stored(events: readonly string[], ...args: readonly (readonly unknown[])[]) {
  const built = await buildScenario({ abis: { Vault: events }, instances: [instance("Vault", a(1))] });
  return play(built, ...args.map((own, at): Emitted => [a(1), events[at] ?? "", ...own]));
}

describe("field names drop the leading underscores", () => {
  test("of parameters and of struct components", async () => {
    const event =
      "event Joined(address indexed _player, tuple(uint256 _amount, bool __last) _bet, uint256 _)";
    expect(await stored([event], [a(7), [5n, true], 9n])).toEqual([
      { type: "Joined", player: a(7), bet_amount: "5", bet_last: true, param2: "9" },
    ]);
  });

  test("a name gets a suffix when the column is taken", async () => {
    const event = "event Moved(address _from, address from, uint256 _id)";
    expect(await stored([event], [a(7), a(8), 9n])).toEqual([
      { type: "Moved", from: a(7), fromParam: a(8), idParam: "9" },
    ]);
  });

  test("expressions keep the names of the bindings", async () => {
    const event = "event Joined(address _player)";
    const built = await buildScenario({
      abis: { Vault: [event] },
      instances: [
        instance("Vault", a(1), {
          Joined: {
            entities: { Seat: { "who address": "event.params._player.toHexString() + entity.player" } },
          },
        }),
      ],
    });
    expect(await play(built, [a(1), event, a(7)])).toMatchObject([
      { type: "Joined", player: a(7) },
      { type: "Seat", who: a(7) + a(7) },
    ]);
  });
});

test("a field of the event's entity can also be named as in the ABI", async () => {
  const event = "event Joined(address _player, uint256 _amount)";
  const built = await buildScenario({
    abis: { Vault: [event] },
    instances: [
      instance("Vault", a(1), {
        Joined: {
          entities: {
            Joined: {
              "_player address": '"x"',
              "amount uint256": "event.params._amount.plus(event.params._amount)",
            },
          },
        },
      }),
    ],
  });
  expect(await play(built, [a(1), event, a(7), 2n])).toEqual([{ type: "Joined", player: "x", amount: "4" }]);
});

describe("an event is indexed although its class name clashes:", () => {
  test("overloads beside an event with a numbered name", async () => {
    const events = ["event E(uint256 x)", "event E(address x)", "event E1(bool x)", "event E(string x)"];
    expect(await stored(events, [1n], [a(2)], [true], ["four"])).toEqual([
      { type: "E", x: "1" },
      { type: "E1", x: true },
      { type: "E1Entity", x: a(2) },
      { type: "E2", x: "four" },
    ]);
  });

  test("overloads after an event with a numbered name", async () => {
    const events = ["event E1(bool x)", "event E(uint256 x)", "event E(address x)"];
    expect(await stored(events, [true], [1n], [a(2)])).toEqual([
      { type: "E", x: "1" },
      { type: "E1", x: true },
      { type: "E1Entity", x: a(2) },
    ]);
  });

  test.each(["Entity", "BigInt", "Array", "void", "type"])("%s", async (name) => {
    const events = [
      `event ${name}(address indexed who, uint256 topic0, bytes32 indexed, tuple(uint8 a, uint256[][] b)[] s)`,
      "event Other(uint256 x)",
    ];
    const rows = await stored(events, [a(7), 5n, `0x${"ab".repeat(32)}`, [[1n, [[2n]]]]], [6n]);
    expect(rows).toMatchObject(
      [
        { type: `${name}Entity`, who: a(7), topic0: "5", param2: `0x${"ab".repeat(32)}` },
        { type: "Other", x: "6" },
      ].toSorted((one, other) => (one.type < other.type ? -1 : 1)),
    );
  });

  test("with the parameter class of a different event", async () => {
    const events = ["event Transfer(uint256 x)", "event Transfer__Params(uint256 y)"];
    expect(await stored(events, [1n], [2n])).toEqual([
      { type: "Transfer", x: "1" },
      { type: "Transfer__Params", y: "2" },
    ]);
  });

  test("with the class of a call whose function comes later", async () => {
    const events = ["event TransferCall(uint256 x)"];
    const built = await buildScenario({
      abis: { Vault: [...events, "function transfer(uint256 y)"] },
      enableCallHandlers: true,
      instances: [
        instance("Vault", a(1), {
          TransferCall: { entities: { Seen: { "x uint256": "event.params.x" } } },
          transfer: { entities: { Called: { "y uint256": "call.inputs.y" } } },
        }),
      ],
    });
    expect(await play(built, [a(1), events[0] ?? "", 1n])).toMatchObject([
      { type: "Seen", x: "1" },
      { type: "TransferCall", x: "1" },
    ]);
    const played = built.play();
    await played.call(["function transfer(uint256 y)"], a(1), "transfer", [4n]);
    expect(played.all("TransferCallEntity")).toMatchObject([{ y: 4n }]);
    expect(played.all("Called")).toMatchObject([{ y: 4n }]);
  });

  test("with receipts, templates and declared calls", async () => {
    const created = "event Entity(address indexed pool, address _token)";
    const swapped = "event Swapped(uint256 x)";
    const built = await buildScenario({
      abis: { Factory: [created], Pool: [swapped, "function size(address) view returns (uint256)"] },
      instances: [
        instance("Factory", a(1), {
          Entity: {
            calls: {
              size: {
                abi: "Pool",
                source: "event.params.pool",
                name: "size",
                params: "event.params._token",
                declared: true,
              },
            },
            entities: {
              Found: { "pool address": "event.params.pool.toHexString()", "size uint256": "calls.size" },
            },
          },
        }),
        {
          abi: "Pool",
          source: { abi: "Factory", eventSignature: "Entity(indexed address,address)", addressParam: "pool" },
        },
      ],
    });
    expect(await play(built, [a(1), created, a(5), a(6)], [a(5), swapped, 3n])).toMatchObject([
      { type: "EntityEntity", pool: a(5), token: a(6) },
      { type: "Found", pool: a(5) },
      { type: "Swapped", x: "3" },
    ]);
  });
});

describe("each parameter list has a separate type", () => {
  const shared = "event Shared(uint256 x)";
  const namesake = "event Shared(address y)";

  test("which facets share, even if a third ABI has an event of the same name", async () => {
    const built = await buildScenario({
      abis: { F2: [shared], f1: [shared], Third: [namesake] },
      instances: [instance("F2", a(1)), instance("f1", a(1)), instance("Third", a(2))],
    });
    expect(await play(built, [a(1), shared, 1n], [a(2), namesake, a(9)])).toEqual([
      { type: "F1Shared", x: "1" },
      { type: "ThirdShared", y: a(9) },
    ]);
  });

  test("even if one facet has the event as an overload", async () => {
    const built = await buildScenario({
      abis: { A: [namesake, shared], B: [shared] },
      instances: [instance("A", a(1)), instance("B", a(1))],
    });
    expect(await play(built, [a(1), shared, 1n], [a(1), namesake, a(9)])).toEqual([
      { type: "AShared", y: a(9) },
      { type: "AShared1", x: "1" },
    ]);
  });

  test("even if the bindings of one facet had to be changed", async () => {
    const built = await buildScenario({
      abis: {
        A: ["event E(bool x)", "event E(string x)", "event E1(uint256 x)"],
        B: ["event E1(uint256 _x)"],
      },
      instances: [instance("A", a(1)), instance("B", a(1)), instance("B", a(2))],
    });
    const event = "event E1(uint256 x)";
    const rows = await play(built, [a(1), event, 1n], [a(2), event, 2n]);
    expect(rows).toMatchObject([{ x: "1" }, { x: "2" }]);
    expect(new Set((rows as { type: string }[]).map(({ type }) => type)).size).toBe(1);
  });

  test("even if both facets enrich it, each with separate entities", async () => {
    const seen = { entities: { Seen: { "x uint256": "event.params.x" } } };
    const noted = { entities: { Noted: { "x uint256": "event.params.x" } } };
    const built = await buildScenario({
      abis: { F1: [shared], F2: [shared], F3: [shared] },
      instances: [
        instance("F1", a(1), { Shared: seen }),
        instance("F2", a(1), { Shared: noted }),
        instance("F3", a(1), { Shared: seen }),
        instance("F1", a(2), { Shared: noted }),
      ],
    });
    expect(await play(built, [a(1), shared, 1n])).toMatchObject([
      { type: "Noted", x: "1" },
      { type: "Seen", x: "1" },
      { type: "Shared", x: "1" },
    ]);
  });
});
