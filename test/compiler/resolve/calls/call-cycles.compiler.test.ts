import { describe, expect, it } from "vitest";
import { findings, withHandler } from "../../pipeline/harness.js";

type Calls = Readonly<Record<string, object>>;

const total = { name: "total" };
const needing = (...names: readonly string[]): object => ({ ...total, depends_on: names });

async function order(calls: Calls) {
  const { diagnostics } = await findings("compile", withHandler({ calls }));
  return diagnostics.filter(({ code }) => /^call-/.test(code));
}

describe("a cycle of calls", () => {
  it.each<[string, Calls, readonly string[]]>([
    [
      "of two",
      { a: needing("b"), b: needing("a") },
      ['error calls "a" and "b" form a cycle | remove "b" from "depends_on"'],
    ],
    [
      "of three",
      { a: needing("b"), b: needing("c"), c: needing("a") },
      [
        'error calls "a", "b" and "c" form a cycle | remove "b" from "depends_on" and write the calls in the order a, c, b',
      ],
    ],
    [
      "through an expression",
      { a: needing("b"), b: { ...total, conditions: { pre: "!calls.a_reverted" } } },
      ['error calls "a" and "b" form a cycle | remove "b" from "depends_on"'],
    ],
    [
      "through expressions alone, of which one is required",
      {
        a: { ...total, conditions: { pre: "calls.b != BigInt.zero()" } },
        b: { ...total, required: true, conditions: { post: "!calls.a_reverted" } },
      },
      ['error calls "a" and "b" form a cycle | do not use calls.b here'],
    ],
    [
      "of calls that hold nothing",
      {
        a: { ...total, conditions: { pre: "!calls.b_reverted" } },
        b: { ...total, conditions: { pre: "!calls.a_reverted" } },
      },
      ['warning calls "a" and "b" form a cycle | do not use calls.b here'],
    ],
    [
      "beside a second cycle",
      { a: needing("b"), b: needing("a", "c"), c: needing("b"), d: needing("a") },
      [
        'error calls "a" and "b" form a cycle | remove "b" from "depends_on"',
        'error calls "b" and "c" form a cycle | remove "c" from "depends_on"',
      ],
    ],
    [
      "beside a call that is only in the wrong place",
      { a: needing("b"), b: needing("a", "c"), c: total },
      [
        'error calls "a" and "b" form a cycle | remove "b" from "depends_on"',
        'error call "b" depends on "c", which comes later | move "c" before "b"',
      ],
    ],
    [
      "not when a call only comes later",
      { a: needing("b"), b: total },
      ['error call "a" depends on "b", which comes later | move "b" before "a"'],
    ],
  ])("is reported, with a way out: %s", async (_, calls, want) => {
    const found = await order(calls);
    expect(found.map(({ severity, message, hint }) => `${severity} ${message} | ${hint}`)).toEqual(want);
  });

  it("shows all of its places", async () => {
    const [found] = await order({ a: needing("b"), b: needing("c"), c: needing("a") });
    const texts = [{ at: found?.at, text: found?.label }, ...(found?.related ?? [])].map(
      ({ at, text }) => `${at?.pointer.split("/").slice(6).join("/")}: ${text}`,
    );
    expect(texts).toEqual([
      'calls/a/depends_on/0: "a" needs "b"',
      'calls/b/depends_on/0: "b" needs "c"',
      'calls/c/depends_on/0: "c" needs "a"',
    ]);
  });

  it("disappears when the hint is followed", async () => {
    expect(await order({ a: total, c: needing("a"), b: needing("c") })).toEqual([]);
  });
});

describe("a call that needs its own result", () => {
  it.each<[string, object, string]>([
    [
      "before it is made",
      { conditions: { pre: "!calls.a_reverted" } },
      'warning call "a" is tested before it is made | the call is made after this test | move the test to "post", which is evaluated after the call',
    ],
    [
      "before it is made, and must not revert",
      { required: true, conditions: { pre: "calls.a != BigInt.zero()" } },
      'error call "a" is tested before it is made | the call is made after this test | move the test to "post", which is evaluated after the call',
    ],
    [
      "to be made",
      { name: "large", params: "calls.a!" },
      'warning call "a" needs its own result | evaluated before the call is made | do not use calls.a here',
    ],
  ])("is reported when it needs it %s", async (_, call, want) => {
    const found = await order({ a: { ...total, ...call } });
    expect(
      found.map(({ severity, message, label, hint }) => `${severity} ${message} | ${label} | ${hint}`),
    ).toEqual([want]);
  });

  it("is distinct from a call that tests the next one", async () => {
    const found = await order({ a: { ...total, conditions: { post: "!calls.b_reverted" } }, b: total });
    expect(found.map(({ message }) => message)).toEqual(["calls.b_reverted has no value at this point"]);
  });

  it("may test its result afterwards", async () => {
    expect(await order({ a: { ...total, conditions: { post: "!calls.a_reverted" } } })).toEqual([]);
  });
});
