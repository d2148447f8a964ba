import { join } from "node:path";
import { expect, it } from "vitest";
import { openDuckDbFile } from "../../../src/pipelines/machine/duckdb/open-duckdb-file.js";
import { openSink } from "../../../src/pipelines/sinks/open-sink.js";
import { uncheckedSql } from "../../../src/store/database/database.js";
import { testFolder } from "../../support/folder.js";
import { expectLaw, type LawfulSink } from "../../support/pipelines/expect-law.js";
import { lawSeeds } from "../../support/pipelines/law/each-seed.js";
import { expectLawOfKilled } from "../../support/pipelines/law/expect-killed.js";
import { killedWorld } from "../../support/pipelines/law/killed-world.js";
import type { LawRow } from "../../support/pipelines/law-pipeline.js";

const definition = { type: "duckdb", settings: { path: "main.duckdb", table: "chosen" }, isChanging: true };

/** What the table and the ledger of a file hold. @param seen receives the names */
function heldIn(
  folder: () => string,
  seen: (who: string) => void = () => undefined,
): Required<Pick<LawfulSink, "rows" | "ledger">> {
  const query = async (sql: string): Promise<readonly Readonly<Record<string, string | null>>[]> => {
    const file = await openDuckDbFile(join(folder(), "main.duckdb"));
    try {
      return await file.query(uncheckedSql(sql.replaceAll("file.", '"graphloom$file".')));
    } finally {
      await file.close();
    }
  };
  return {
    rows: async () => {
      const rows: unknown = await query("select id, who, amount, block_number from file.main.chosen");
      for (const { who } of rows as readonly LawRow[]) seen(who);
      return rows as readonly LawRow[];
    },
    ledger: async () =>
      (await query("select held, total from file.graphloom_flows.ledger")).map(({ held, total }) => ({
        rows: Number(held),
        sum: BigInt(total ?? 0),
      })),
  };
}

it(`INV-P6: rows that were looked up are deleted as they were written, even if the database answers differently each time, for ${lawSeeds(3)} schedules`, {
  tags: "law",
}, async () => {
  let folder = "";
  const names = new Set<string>();
  await expectLaw(
    {
      cutRate: 0.02,
      empty: async () => {
        folder = testFolder();
      },
      open: ({ sink, owner }) => openSink(sink, owner, killedWorld(folder, {})),
      ...heldIn(
        () => folder,
        (who) => names.add(who),
      ),
    },
    lawSeeds(3),
    definition,
  );
  // Otherwise nothing was put to the test.
  expect([...names].filter((who) => /^A#\d+$/.test(who)).length).toBeGreaterThan(1);
});

it(`INV-P7: the ledger equals the rows in the sink when a writer that looks rows up is killed, for ${lawSeeds(1)} schedules`, {
  tags: "law",
}, async () => {
  await expectLawOfKilled(async () => {
    const folder = testFolder();
    return { definition, secrets: {}, folder, ...heldIn(() => folder) };
  });
});
