import { expect } from "vitest";
import { type Database, SQL, type SqlFragment } from "../../src/store/database/database.js";
import { findDeployment, layoutOf } from "../../src/store/deployments/deployments.js";
import type { EntityTable } from "../../src/store/tables/layout.js";
import { type BlockFacts, createReadBlock } from "../support/chain/block-facts.js";
import { checkWriters, type KnownHandlers } from "./checked-writers.js";
import type { DeployedExample } from "./deployed-example.js";
import { type ShownVersion, shownHistory } from "./shown-history.js";
import { factsIn, type StoredVersion, storedHistories } from "./stored-histories.js";

/** The most entities of a type whose history is read: those with the most versions. */
const mostOfType = 3;

/** The entity types of which histories were compared, and the number of versions of each of these entities. */
export type Compared = ReadonlyMap<string, readonly number[]>;

/**
 * The history of a few entities of every type, as the pages show it, must be that of the tables and of the chain.
 * @param nodes the address of a node, by network
 * @param storing the events that store a type, where a mapping says it and not the configuration
 * @returns what was compared; types without entities have none
 */
export async function compareHistories(
  example: DeployedExample,
  nodes: ReadonlyMap<string, string>,
  storing?: KnownHandlers["storing"],
): Promise<Compared> {
  const { database, networks, page, config } = example;
  const compared = new Map<string, readonly number[]>();
  const versions = await database.query(
    SQL`select v.name, v.version, v.deployment, b.network from graphloom.versions v join graphloom.builds b using (deployment)`,
  );
  expect(versions.length).toBe(nodes.size);
  for (const { name, version, deployment, network } of versions) {
    const found = await findDeployment(database, deployment ?? "");
    const sources = networks.get(network ?? "");
    if (!found || !sources) throw new Error("the deployment is not there");
    const layout = layoutOf(found);
    const readBlock = createReadBlock(nodes.get(network ?? "") ?? "");
    const [kept, counted] = [
      await blocksWith(database, found.id, SQL`timestamp`),
      await blocksWith(database, found.id, SQL`runs`),
    ];
    for (const table of layout.tables) {
      const histories = [...(await storedHistories(database, layout, table))].slice(0, mostOfType);
      compared.set(table.type, [
        ...(compared.get(table.type) ?? []),
        ...histories.map(([, { length }]) => length),
      ]);
      for (const [id, stored] of histories) {
        const path = `/dashboard/${name}/${version}/data/${table.name}/entity?${new URLSearchParams({ id })}`;
        const shown = await shownHistory(page, path);
        const blocks = await Promise.all(stored.map(({ begins }) => readBlock(begins)));
        expect([path, shown.map(withoutWriters)]).toEqual([
          path,
          stored.map((each, index) => {
            const block = blocks[index] as BlockFacts;
            return expectedVersion(each, block, kept.has(each.begins), changeOf(stored, index, table));
          }),
        ]);
        for (const [index, each] of shown.entries()) {
          const block = blocks[index] as BlockFacts;
          const version = stored[index] as StoredVersion;
          const known = { sources, config, storing, isCounted: counted.has(version.begins) };
          checkWriters(each, version, block, table, known);
        }
      }
    }
  }
  return compared;
}

/** The blocks of which something is kept beside the tables. @param deployment its number in the catalog */
async function blocksWith(
  database: Database,
  deployment: number,
  what: SqlFragment,
): Promise<ReadonlySet<number>> {
  const rows = await database.query(
    SQL`select number from graphloom.recent_blocks where deployment = $1::integer and ${what} is not null`,
    [String(deployment)],
  );
  return new Set(rows.map(({ number }) => Number(number)));
}

type VersionFacts = Omit<ShownVersion, "handler" | "writers">;

function withoutWriters({ handler, writers, ...facts }: ShownVersion): VersionFacts {
  return facts;
}

/** @param isKept whether the time of the block is kept beside the tables */
function expectedVersion(
  version: StoredVersion,
  { time, happenings }: BlockFacts,
  isKept: boolean,
  change: string,
): VersionFacts {
  const { hasTime, transaction } = factsIn(version);
  const happened = happenings.find((each) => each.transaction === transaction);
  // A transaction that is in no event and in no call of the block would not be that of the version.
  expect([transaction, happened?.transaction]).toEqual([transaction, transaction]);
  const text = new Date(time * 1000).toISOString().slice(0, 19).replace("T", " ");
  return {
    block: version.begins.toLocaleString("en-US"),
    time: isKept || hasTime ? text : "not kept",
    transaction: transaction ?? "not stored",
    change,
  };
}

/** What happened to an entity in a version, in the words of the page. */
function changeOf(versions: readonly StoredVersion[], index: number, { columns }: EntityTable): string {
  const [version, before, after] = [versions[index], versions[index + 1], versions[index - 1]];
  if (!version) return "";
  const changed = columns.filter(
    ({ field }) => before && version.values.get(field) !== before.values.get(field),
  );
  const fields = changed.map(({ field }) => field).join(", ");
  const isAgain = before?.ends !== undefined && before.ends < version.begins;
  const begun = isAgain
    ? `created again, after its removal in block ${before.ends}`
    : before
      ? fields || "stored again, unchanged"
      : "created";
  const isRemoved = version.ends !== undefined && after !== undefined && after.begins !== version.ends;
  return isRemoved ? `${begun}removed in block ${version.ends}` : begun;
}
