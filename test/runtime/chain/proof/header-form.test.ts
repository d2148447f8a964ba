import { expect, it } from "vitest";
import type { Block } from "../../../../src/runtime/chain/chain.js";
import { HeaderForm } from "../../../../src/runtime/chain/proof/header-form.js";
import { headerHash } from "../../../../src/runtime/chain/proof/header-hash.js";
import { decodeBlock } from "../../../../src/runtime/chain/rpc/decode-block.js";
import { hash, rawBlock } from "../../../support/chain/raw-chain.js";

const zeros = `0x${"0".repeat(512)}`;
const ones = `0x${"f".repeat(512)}`;

/** A block whose header has its hash. */
function honest(number: number): Block {
  const more = { extraData: "0x", mixHash: hash(6), nonce: "0x0000000000000000", logsBloom: ones };
  const { block } = decodeBlock("", rawBlock(number, more));
  return { ...block, hash: String(headerHash(block)) };
}

/** The same with an emptied bloom filter. */
const emptied = (number: number): Block => ({ ...honest(number), logsBloom: zeros });

/** Judges a first answer, where later answers are those of `later`. */
async function judge(form: HeaderForm, first: Block, later: (number: number) => Block): Promise<Block> {
  let asked = 0;
  const { block } = await form.judge(
    { block: first, unpriced: [] },
    {
      again: async () => ({ block: later(first.number), unpriced: [] }),
      header: async (number) => {
        asked += 1;
        return later(number);
      },
    },
  );
  expect(asked).toBeLessThanOrEqual(3);
  return block;
}

it("the client accepts a header at once if it has the hash of its block", async () => {
  const block = honest(9);
  expect(await judge(new HeaderForm(), block, emptied)).toBe(block);
});

it("the client asks again for a block whose header does not have its hash, and takes the better answer", async () => {
  expect(await judge(new HeaderForm(), emptied(9), honest)).toEqual(honest(9));
});

it("the client marks a header that stays without its hash as broken, if others have theirs", async () => {
  const form = new HeaderForm();
  const later = (number: number): Block => (number === 9 ? emptied(9) : honest(number));
  expect(await judge(form, emptied(9), later)).toEqual({ ...emptied(9), unprovedHeader: "broken" });
  expect(await judge(form, honest(10), later)).toEqual(honest(10));
});

it("the client recognizes a chain whose headers are hashed in another way, and a header of Ethereum's form in it", async () => {
  const form = new HeaderForm();
  expect((await judge(form, emptied(9), emptied)).unprovedHeader).toBe("foreign");
  expect((await judge(form, emptied(10), () => honest(10))).unprovedHeader).toBe("foreign");
  await judge(form, honest(11), honest);
  expect(await judge(form, emptied(12), honest)).toEqual(honest(12));
});

it("the client recognizes that a chain hashes headers in another way from some block on", async () => {
  const form = new HeaderForm();
  await judge(form, honest(1), honest);
  const marks: unknown[] = [];
  for (let number = 2; number <= 12; number++)
    marks.push((await judge(form, emptied(number), emptied)).unprovedHeader);
  expect(marks.slice(0, 7)).toEqual(Array(7).fill("broken"));
  expect(marks.slice(7)).toEqual(Array(4).fill("foreign"));
});

it("the client asks one node after another, but not for all blocks of a batch at once", async () => {
  const form = new HeaderForm();
  let running = 0;
  const again = async (): Promise<undefined> => {
    running += 1;
    expect(running).toBe(1);
    await Promise.resolve();
    running -= 1;
    return undefined;
  };
  const header = async (): Promise<Block> => honest(1);
  await Promise.all(
    [5, 6, 7].map((number) => form.judge({ block: emptied(number), unpriced: [] }, { again, header })),
  );
});
