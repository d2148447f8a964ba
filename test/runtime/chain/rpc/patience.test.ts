import { describe, expect, it } from "vitest";
import {
  type Block,
  type Chain,
  ChainError,
  MissingStateError,
  NonsenseError,
  ReorgError,
} from "../../../../src/runtime/chain/chain.js";
import { decodeBlock } from "../../../../src/runtime/chain/rpc/decode-block.js";
import { Patience } from "../../../../src/runtime/chain/rpc/patience.js";
import { createPatientChain } from "../../../../src/runtime/chain/rpc/patient-chain.js";
import { rawBlock } from "../../../support/chain/raw-chain.js";

const lag = new ReorgError("the node does not know block 7");
const blockOf = (number: number): Block => decodeBlock("", rawBlock(number)).block;

/** Patience that writes down its waits. */
function patienceOf(limit = 600_000, signal?: AbortSignal): { patience: Patience; waits: number[] } {
  const waits: number[] = [];
  const pause = async (wait: number): Promise<void> => void waits.push(wait);
  return { waits, patience: new Patience({ limit, pause, chance: () => 0, signal }) };
}

describe("patience with inconsistent answers", () => {
  it("waits longer and longer, and starts again after progress", async () => {
    const { patience, waits } = patienceOf();
    for (let attempt = 0; attempt < 9; attempt++) await patience.wait(lag);
    expect(waits).toEqual([125, 250, 500, 1000, 2000, 4000, 7500, 7500, 7500]);
    patience.reset();
    await patience.wait(lag);
    expect(waits.at(-1)).toBe(125);
  });

  it("outlasts hundreds of inconsistent answers if some are consistent in between", async () => {
    const { patience, waits } = patienceOf();
    for (let attempt = 0; attempt < 500; attempt++) {
      await patience.wait(lag);
      patience.reset();
    }
    expect(waits.length).toBe(500);
  });

  it("ends after the total wait, and reports the last problem", async () => {
    const { patience, waits } = patienceOf(1_000);
    await patience.wait(lag);
    await patience.wait(lag);
    await patience.wait(lag);
    const ending = patience.wait(lag);
    await expect(ending).rejects.toThrow(ChainError);
    await expect(ending).rejects.toThrow(
      "The node's answers stayed inconsistent after 4 attempts in 1 s. Last problem: the node does not know block 7",
    );
    expect(waits).toEqual([125, 250, 500]);
  });

  it("counts concurrent waits once", async () => {
    const { patience, waits } = patienceOf();
    await Promise.all([patience.wait(lag), patience.wait(lag), patience.wait(lag)]);
    expect(waits).toEqual([125]);
  });

  it("does not wait when the run is aborted", async () => {
    const { patience, waits } = patienceOf(600_000, AbortSignal.abort());
    await expect(patience.wait(lag)).rejects.toBe(lag);
    expect(waits).toEqual([]);
  });
});

describe("a patient chain", () => {
  it("requests only missing blocks again", async () => {
    const { patience } = patienceOf();
    const asked: (readonly number[])[] = [];
    const chain = {
      blocks: async (numbers: readonly number[]) => {
        asked.push(numbers);
        return numbers.map((number) => (number === 6 && asked.length < 3 ? undefined : blockOf(number)));
      },
    } as unknown as Chain;
    const found = await createPatientChain(chain, patience).blocks([5, 6, 7]);
    expect(found.map(({ number }) => number)).toEqual([5, 6, 7]);
    expect(asked).toEqual([[5, 6, 7], [6], [6]]);
  });

  it("requests blocks one by one after an invalid answer for one of many", async () => {
    const { patience } = patienceOf();
    const asked: (readonly number[])[] = [];
    const chain = {
      blocks: async (numbers: readonly number[]) => {
        asked.push(numbers);
        if (asked.length <= 3 && numbers.includes(6)) throw new NonsenseError("not block 6");
        return numbers.map(blockOf);
      },
    } as unknown as Chain;
    const found = await createPatientChain(chain, patience).blocks([5, 6, 7]);
    expect(found.map(({ number }) => number)).toEqual([5, 6, 7]);
    expect(asked).toEqual([[5, 6, 7], [5], [6], [7], [6]]);
  });

  it.each([
    ["nonsense", new NonsenseError("a log of another block")],
    ["a state that it does not have", new MissingStateError("missing trie node")],
  ])("retries after %s, and gives up after the fifth attempt", async (_, error) => {
    const { patience } = patienceOf();
    let left = 4;
    const chain = {
      head: async () => {
        if (left-- > 0) throw error;
        return blockOf(5);
      },
    } as unknown as Chain;
    const patient = createPatientChain(chain, patience);
    expect((await patient.head()).number).toBe(5);
    left = 5;
    const last = await patient.head().catch((reason: unknown) => reason);
    expect(last).toBeInstanceOf(ChainError);
    expect(String(last)).toContain(error.message);
    expect(left).toBe(0);
  });

  it("does not treat an invalid answer as final for a block that may be gone", async () => {
    const { patience } = patienceOf();
    const errors = [lag, lag, lag, lag, new NonsenseError("an answer to something else")];
    const chain = { head: () => Promise.reject(errors.shift()) } as unknown as Chain;
    await expect(createPatientChain(chain, patience).head()).rejects.toBe(lag);
  });

  it("fails for a block that stays unknown", async () => {
    const { patience } = patienceOf();
    const chain = { blocks: async () => [blockOf(5), undefined, blockOf(7)] } as unknown as Chain;
    await expect(createPatientChain(chain, patience).blocks([5, 6, 7])).rejects.toThrow(ReorgError);
  });
});
