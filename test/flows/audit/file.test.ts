import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { aboutParquet } from "../../../src/datasets/parquet/read-parquet.js";
import { writeParquet } from "../../../src/datasets/parquet/write-parquet.js";
import { auditSink, isSound, type SinkFindings } from "../../../src/flows/audit/audit-sink.js";
import type { FlowPlan, PlannedSink } from "../../../src/flows/plan/flow-plan.js";
import { readWindow, storedColumns } from "../../../src/flows/sinks/file/window-file.js";
import { openSink } from "../../../src/flows/sinks/open-sink.js";
import { openTableFiles } from "../../../src/node/table-files.js";
import { auditWorld, repairs, verifies, writeAll } from "../../support/flows/audited-flow.js";
import { text } from "../../support/flows/law-flow.js";
import { PlayedFeed } from "../../support/flows/played-feed.js";
import { PlayedChain, playedColumns } from "../../support/flows/played-source.js";
import { randomOf } from "../../support/flows/random.js";
import { testFolder } from "../../support/folder.js";

const schema = { columns: playedColumns, key: ["id"] };
const settings = { path: text("out"), blocks_per_file: { value: 7, at: text("7").at } };
const sink: PlannedSink = {
  name: "out",
  definition: { type: "file", name: text("out"), settings },
  from: "played",
  schema,
};
const plan: FlowPlan = {
  name: "files",
  job: false,
  sources: [{ name: "played", definition: { type: "dataset", name: text("played"), settings: {} }, schema }],
  transforms: [],
  sinks: [sink],
  operations: [],
  functions: [],
};
const columns = storedColumns(playedColumns);

it("finds each row of files that was deleted, altered, doubled or added, and mends these files alone", async () => {
  for (let seed = 1; seed <= 5; seed += 1) {
    const random = randomOf(seed);
    const played = { chain: new PlayedChain(random), feed: new PlayedFeed(random) };
    for (let count = 0; count < 60; count += 1) played.chain.mine();
    const folder = testFolder();
    const world = auditWorld(played, { openFiles: () => openTableFiles(folder) });
    const flow = { plan, sink, owner: { flow: plan.name, sources: ["played"] } };
    await writeAll(flow, sink, await openSink(sink, flow.owner, world), played);
    const audit = (request = verifies): Promise<SinkFindings> => auditSink(plan, sink, world, request);
    expect(isSound(await audit()), `seed ${seed}`).toBe(true);
    const before = contentOf(folder);
    const wrong: string[] = [];
    for (const name of Object.keys(before).filter((path) => path.endsWith(".parquet"))) {
      const path = join(folder, name);
      const bytes = readFileSync(path);
      const { count, columns: values } = await readWindow(bytes, columns);
      const rows = Array.from({ length: count }, (_, row) => values.map((column) => column[row] ?? null));
      if (random() < 0.1) {
        wrong.push(...rows.map(([id]) => `missing ${id}`), `${name} is missing.`);
        rmSync(path);
        continue;
      }
      const damaged = rows.flatMap((row) => {
        const [id, block, who, amount] = row;
        const kind = random();
        if (kind < 0.05) {
          wrong.push(`missing ${id}`);
          return [];
        }
        if (kind < 0.1) {
          wrong.push(`altered ${id} who`);
          return [[id, block, `${who}!`, amount]];
        }
        if (kind < 0.15) {
          wrong.push(`doubled ${id}`);
          return [row, row];
        }
        if (kind >= 0.2) return [row];
        wrong.push(`foreign ${id}!`);
        return [row, [`${id}!`, block, who, amount]];
      });
      const byName = columns.map((column, index) => [column.name, damaged.map((row) => row[index] ?? null)]);
      const about = Object.fromEntries(aboutParquet(bytes));
      writeFileSync(path, writeParquet(columns, Object.fromEntries(byName), about));
    }
    const damaged = contentOf(folder);
    // The entry of a file that is missing is missing, too.
    const found = await audit();
    expect(listed(found), `seed ${seed}`).toEqual(wrong.sort());
    expect(contentOf(folder)).toEqual(damaged);
    await audit({ ...repairs, trustsSource: true });
    expect(contentOf(folder)).toEqual(before);
    expect(isSound(await audit())).toBe(true);
  }
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

/** The files of a folder, by path, as hex. */
function contentOf(folder: string): Readonly<Record<string, string>> {
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith("."))
    .map(({ parentPath, name }) => join(parentPath, name));
  return Object.fromEntries(
    paths.sort().map((path) => [path.slice(folder.length + 1), readFileSync(path, "hex")]),
  );
}

function listed({ rows }: SinkFindings): readonly string[] {
  const texts = (rows?.first ?? []).map(({ kind, key, columns: altered = [] }) =>
    [kind, key.id, ...altered].join(" "),
  );
  return [...texts, ...(rows?.notes ?? [])].sort();
}
