import { describe, expect, it } from "vitest";
import { Fields } from "../../../../src/runtime/chain/fields.js";
import { Bloom } from "../../../../src/runtime/chain/proof/bloom.js";
import { decodeLog } from "../../../../src/runtime/chain/rpc/decode-block.js";
import { address, hash, rawLog } from "../../../support/chain/raw-chain.js";

const logOf = (from: number, topic: number): ReturnType<typeof decodeLog> =>
  decodeLog(new Fields("", rawLog(1, topic, { address: address(from), topics: [hash(topic)] })));
const filter = (from: readonly number[], topics?: readonly number[]): Parameters<Bloom["admits"]>[0] => [
  { addresses: from.map((one) => address(one)), topics: topics?.map((one) => hash(one)) },
];

describe("the bloom filter of a header", () => {
  const logs = [logOf(1, 1), logOf(2, 2)];
  const bloom = Bloom.of(logs);

  it("reads a bloom filter as nodes write it", () => {
    // keccak256 of 32 zero bytes begins with 290decd9548b: bits 0x10d, 0x4d9 and 0x48b.
    const bits = (1n << 0x10dn) | (1n << 0x4d9n) | (1n << 0x48bn);
    const read = Bloom.parse(`0x${bits.toString(16).padStart(512, "0")}`);
    expect(read?.admits([{ addresses: [], topics: [`0x${"0".repeat(64)}`] }])).toBe(true);
    expect(read?.admits([{ addresses: [], topics: [hash(1)] }])).toBe(false);
  });

  it("admits only filters whose address and topic are both in it", () => {
    expect(bloom.admits(filter([1], [1]))).toBe(true);
    expect(bloom.admits(filter([], [2]))).toBe(true);
    expect(bloom.admits(filter([3], [1]))).toBe(false);
    expect(bloom.admits(filter([1], [3]))).toBe(false);
    expect(logs.every((log) => bloom.admitsLog(log))).toBe(true);
    expect(bloom.admitsLog(logOf(3, 3))).toBe(false);
  });

  it("shows by how many logs it admits that its bits are not random", () => {
    const random = Bloom.parse(`0x${"5a".repeat(256)}`);
    expect(random?.surpriseOf([])).toBe(0);
    const [few = 0, many = 0] = [[logOf(1, 1)], logs].map((own) => random?.surpriseOf(own));
    expect([few, many]).toEqual([6, 12]);
    expect(bloom.surpriseOf(logs)).toBeGreaterThan(80);
    expect(Bloom.parse(`0x${"00".repeat(256)}`)?.surpriseOf(logs)).toBe(0);
    expect(Bloom.parse(`0x${"ff".repeat(256)}`)?.surpriseOf(logs)).toBeCloseTo(0);
  });

  it("misses entries that it admits and that no log matches", () => {
    expect(bloom.misses(filter([1], [1]), logs)).toBe(false);
    expect(bloom.misses(filter([1], [1]), [])).toBe(true);
    expect(bloom.misses(filter([1, 2], [1, 2]), logs)).toBe(true);
    expect(bloom.misses(filter([], [1, 2]), logs)).toBe(false);
  });

  it("is tested only for the address if any topic matches", () => {
    const anonymous = { ...logOf(4, 4), topics: [] };
    const withAnonymous = Bloom.of([...logs, anonymous]);
    expect([1, 2, 3, 4].map((from) => bloom.admits(filter([from])))).toEqual([true, true, false, false]);
    expect(withAnonymous.admits(filter([4]))).toBe(true);
    expect(withAnonymous.misses(filter([1, 4]), logs)).toBe(true);
    expect(withAnonymous.misses(filter([1, 4]), [...logs, anonymous])).toBe(false);
  });

  it("admits a filter for all logs unless it is empty", () => {
    expect(bloom.admits(filter([]))).toBe(true);
    expect(bloom.misses(filter([]), logs)).toBe(false);
    expect(Bloom.of([]).admits(filter([]))).toBe(false);
  });

  it("is within the bloom filter of more logs, but not of fewer", () => {
    expect(Bloom.of(logs.slice(1)).isWithin(bloom)).toBe(true);
    expect(bloom.isWithin(Bloom.of(logs.slice(1)))).toBe(false);
  });

  it.each([undefined, "0x", "0x00"])("does not parse %s", (hex) => {
    expect(Bloom.parse(hex)).toBeUndefined();
  });
});
