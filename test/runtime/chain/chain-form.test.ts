import { expect, it } from "vitest";
import { ChainForm } from "../../../src/runtime/chain/chain-form.js";
import type { Proof } from "../../../src/runtime/chain/proof/block-proof.js";

const proved: Proof = { kind: "proved" };
const wrong: Proof = { kind: "wrong", why: "the root differs" };
const unknown: Proof = { kind: "unknown", why: "the node returns no receipts" };

async function* each(proofs: readonly Proof[]): AsyncGenerator<Proof> {
  yield* proofs;
}

it.each([
  { others: [wrong, wrong, wrong], isForeign: true },
  { others: [wrong, wrong, proved], isForeign: false },
  { others: [unknown, unknown, unknown, proved], isForeign: false },
  { others: [wrong, unknown, wrong, unknown, wrong], isForeign: true },
])("only blocks that contradict themselves show a different form: $others", async ({ others, isForeign }) => {
  expect(await new ChainForm().isForeign(each(others))).toBe(isForeign);
});

it("a known form stays known beside blocks that allow no computation", async () => {
  const form = new ChainForm();
  form.note(proved);
  expect(await form.isForeign(each([unknown, unknown, unknown, unknown]))).toBe(false);
});
