import { execute, parse } from "graphql";
import { expect, test } from "vitest";
import { statusAnswers } from "../../../src/platform/endpoints/status/status-answers.js";
import type { StatusReader } from "../../../src/platform/endpoints/status/status-reader.js";
import { statusSchema } from "../../../src/platform/endpoints/status/status-schema.js";

test.each([
  "2",
  '"2"',
])("the server gives the block number of a proof asked for as %s as a string", async (number) => {
  const reader = {
    publicProofs: async (blocks: readonly object[]) =>
      new Map(blocks.map((block) => [block, { hash: "0x02", proof: "0xff" }])),
  } as unknown as StatusReader;
  const requests = `[{ deployment: "QmA", blockNumber: ${number} }]`;
  const { data } = await execute({
    schema: statusSchema(),
    document: parse(
      `{ publicProofsOfIndexing(requests: ${requests}) { block { number hash } proofOfIndexing } }`,
    ),
    rootValue: statusAnswers(reader, "0.0.0-test"),
  });
  expect(data?.publicProofsOfIndexing).toEqual([
    { block: { number: "2", hash: "0x02" }, proofOfIndexing: "0xff" },
  ]);
});
