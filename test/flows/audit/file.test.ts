import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { auditSink } from "../../../src/flows/audit/audit-sink.js";
import { openSink } from "../../../src/flows/sinks/open-sink.js";
import { openTableFiles } from "../../../src/node/table-files.js";
import { auditWorld, repairs, writeAll } from "../../support/flows/audited-flow.js";
import { expectAuditedFiles, filesPlan } from "../../support/flows/expect-audited-files.js";
import { expectKeptLineage } from "../../support/flows/expect-kept-lineage.js";
import { text } from "../../support/flows/law-flow.js";
import { PlayedFeed } from "../../support/flows/played-feed.js";
import { PlayedChain } from "../../support/flows/played-source.js";
import { randomOf } from "../../support/flows/random.js";
import { testFolder } from "../../support/folder.js";

const settings = { path: text("out"), blocks_per_file: { value: 7, at: text("7").at } };
const { plan, sink } = filesPlan({ type: "file", name: text("out"), settings });

it("finds each row of files that was deleted, altered, doubled or added, and mends these files alone", async () => {
  await expectAuditedFiles([1, 2, 3, 4, 5], () => {
    const folder = testFolder();
    return {
      folder,
      definition: sink.definition,
      world: { openFiles: () => openTableFiles(folder) },
      damage: async (path, content) =>
        content ? writeFileSync(join(folder, path), content) : rmSync(join(folder, path)),
    };
  });
});

it("keeps how rows of files were computed", async () => {
  const random = randomOf(1);
  const played = { chain: new PlayedChain(random), feed: new PlayedFeed(random) };
  for (let count = 0; count < 7; count += 1) played.chain.mine();
  const folder = testFolder();
  const world = auditWorld(played, { openFiles: () => openTableFiles(folder) });
  await expectKeptLineage(plan, sink, world, played);
});

it("tells files that the pipeline has not written, and leaves them there", async () => {
  const random = randomOf(1);
  const played = { chain: new PlayedChain(random), feed: new PlayedFeed(random) };
  for (let count = 0; count < 7; count += 1) played.chain.mine();
  const folder = testFolder();
  const world = auditWorld(played, { openFiles: () => openTableFiles(folder) });
  const flow = { plan, sink, owner: { flow: plan.name, sources: ["played"] } };
  await writeAll(flow, sink, await openSink(sink, flow.owner, world), played);
  writeFileSync(join(folder, "played/mine.txt"), "mine");
  const { rows } = await auditSink(plan, sink, world, repairs);
  expect(rows).toMatchObject({ strays: ["played/mine.txt"], notes: [] });
  expect(readFileSync(join(folder, "played/mine.txt"), "utf8")).toBe("mine");
});
