import { join } from "node:path";
import { it } from "vitest";
import { openTableFiles } from "../../../src/machine/files/table-files.js";
import { openSink } from "../../../src/pipelines/sinks/open-sink.js";
import { testFolder } from "../../support/folder.js";
import { expectLaw } from "../../support/pipelines/expect-law.js";
import { isLawCampaign } from "../../support/pipelines/law/each-seed.js";
import { expectLawOfKilled } from "../../support/pipelines/law/expect-killed.js";
import { killedWorld } from "../../support/pipelines/law/killed-world.js";
import { interruptedFiles, ledgersOfFiles, rowsOfFiles } from "../../support/pipelines/law/window-files.js";
import type { LawDefinition } from "../../support/pipelines/law-pipeline.js";

const definition: LawDefinition = {
  type: "file",
  settings: { path: "out", finalized: true, blocks_per_file: 7, rows_per_file: 9 },
};

const partitioned: LawDefinition = {
  ...definition,
  settings: { ...definition.settings, partition_columns: "who" },
};

const inFiles: [string, LawDefinition, boolean] = ["in files", definition, false];
const inPartitions: [string, LawDefinition, boolean] = ["in partitions", partitioned, true];

it.each([inFiles, inPartitions])(
  "a file sink holds the rows of final blocks once, %s, through failures",
  { tags: "law" },
  async (_, of, arePartitioned) => {
    let folder = "";
    await expectLaw(
      {
        // Each partition of a window is another file.
        ...(arePartitioned && { cutRate: 0.01 }),
        empty: async () => {
          folder = testFolder();
        },
        open: async ({ sink, owner }, cut) => {
          const world = killedWorld(folder, {});
          const openFiles = (path: string) => interruptedFiles(openTableFiles(join(folder, path)), cut);
          return openSink(sink, owner, { ...world, openFiles });
        },
        rows: () => rowsOfFiles(folder, arePartitioned),
        ledger: () => ledgersOfFiles(folder, arePartitioned),
      },
      undefined,
      of,
    );
  },
);

it.each([
  inFiles,
  // The suite has no time for it.
  ...(isLawCampaign ? [inPartitions] : []),
])(
  "a file sink holds the rows of final blocks once, %s, when its writer is killed",
  { tags: "law" },
  async (_, of, arePartitioned) => {
    await expectLawOfKilled(async () => {
      const folder = testFolder();
      return {
        definition: of,
        secrets: {},
        folder,
        rows: () => rowsOfFiles(folder, arePartitioned),
        ledger: () => ledgersOfFiles(folder, arePartitioned),
      };
    });
  },
);
