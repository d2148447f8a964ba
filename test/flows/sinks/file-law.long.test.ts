import { join } from "node:path";
import { it } from "vitest";
import { openSink } from "../../../src/flows/sinks/open-sink.js";
import { openTableFiles } from "../../../src/node/table-files.js";
import { expectLaw } from "../../support/flows/expect-law.js";
import { expectLawOfKilled } from "../../support/flows/law/expect-killed.js";
import { killedWorld } from "../../support/flows/law/killed-world.js";
import { interruptedFiles, ledgersOfFiles, rowsOfFiles } from "../../support/flows/law/window-files.js";
import type { LawDefinition } from "../../support/flows/law-flow.js";
import { testFolder } from "../../support/folder.js";

const definition: LawDefinition = {
  type: "file",
  settings: { path: "out", finalized: true, blocks_per_file: 7 },
};

it("holds the rows of final blocks once, through failures", async () => {
  let folder = "";
  await expectLaw(
    {
      empty: async () => {
        folder = testFolder();
      },
      open: async ({ sink, owner }, cut) => {
        const world = killedWorld(folder, {});
        const openFiles = (path: string) => interruptedFiles(openTableFiles(join(folder, path)), cut);
        return openSink(sink, owner, { ...world, openFiles });
      },
      rows: () => rowsOfFiles(folder),
      ledger: () => ledgersOfFiles(folder),
    },
    undefined,
    definition,
  );
}, 3_600_000);

it("holds the rows of final blocks once when its writer is killed", async () => {
  await expectLawOfKilled(async () => {
    const folder = testFolder();
    return {
      ...{ definition, secrets: {}, folder },
      rows: () => rowsOfFiles(folder),
      ledger: () => ledgersOfFiles(folder),
    };
  });
}, 3_600_000);
