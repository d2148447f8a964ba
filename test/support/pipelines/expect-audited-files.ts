import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { aboutParquet } from "../../../src/datasets/parquet/read-parquet.js";
import { writeParquet } from "../../../src/datasets/parquet/write-parquet.js";
import { auditSink, isSound, type SinkFindings } from "../../../src/pipelines/audit/audit-sink.js";
import type { PipelinePlan, PlannedSink } from "../../../src/pipelines/plan/pipeline-plan.js";
import { readWindow, storedColumns } from "../../../src/pipelines/sinks/file/window-file.js";
import { openSink } from "../../../src/pipelines/sinks/open-sink.js";
import { auditWorld, repairs, verifies, writeAll } from "./audited-pipeline.js";
import { text } from "./law-pipeline.js";
import { PlayedFeed } from "./played-feed.js";
import { PlayedChain, playedColumns } from "./played-source.js";
import { randomOf } from "./random.js";

/** Files that a test writes, damages and audits. */
export interface AuditedPlace {
  readonly definition: PlannedSink["definition"];
  /** What the sink is opened with. */
  readonly world: Parameters<typeof auditWorld>[1];
  /** The folder in which the files are. */
  readonly folder: string;
  /** Removes a file, or puts another content in its place. */
  damage(path: string, content: Uint8Array | undefined): Promise<void>;
}

const schema = { columns: playedColumns, key: ["id"] };
const columns = storedColumns(playedColumns);

/** A plan of played rows into a sink of files. */
export function filesPlan(definition: PlannedSink["definition"]): {
  readonly plan: PipelinePlan;
  readonly sink: PlannedSink;
} {
  const sink: PlannedSink = { name: "out", definition, from: "played", schema };
  const source = { type: "dataset", name: text("played"), settings: {} } as const;
  return {
    sink,
    plan: {
      name: "files",
      job: false,
      sources: [{ name: "played", definition: source, schema }],
      transforms: [],
      sinks: [sink],
      operations: [],
      functions: [],
    },
  };
}

/**
 * Damages files in every way, and expects that an audit finds each row, and that it mends these files alone.
 * @param open makes an empty place
 */
export async function expectAuditedFiles(seeds: readonly number[], open: () => AuditedPlace): Promise<void> {
  for (const seed of seeds) {
    const random = randomOf(seed);
    const played = { chain: new PlayedChain(random), feed: new PlayedFeed(random) };
    for (let count = 0; count < 60; count += 1) played.chain.mine();
    const { definition, world: given, folder, damage } = open();
    const { plan, sink } = filesPlan(definition);
    const world = auditWorld(played, given);
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
        await damage(name, undefined);
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
      await damage(name, writeParquet(columns, Object.fromEntries(byName), about, { compression: "snappy" }));
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
}

/** The files of a folder, by path, as hex. */
export function contentOf(folder: string): Readonly<Record<string, string>> {
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
