import { cell, columns, text } from "../../../store/database/columns.js";
import { type Database, SQL, type Sql } from "../../../store/database/database.js";
import { arrayText } from "../../../store/database/sql-array.js";
import { manifestPath } from "../../../subgraph/build.js";
import { collectBuild } from "../../../subgraph/collect-build.js";
import { type LinkedBuild, linkBuild } from "../../../subgraph/deployment/link-build.js";
import { openBundle, unzipBundle } from "../../../subgraph/unzip-bundle.js";
import { isCidV0 } from "../../../web/ipfs/cid.js";
import { readBundle } from "../builds.js";

/** A file in the bundle of a build. The path of the linked manifest is empty. */
interface FilePlace {
  readonly deployment: string;
  readonly path: string;
}

/** A build is unpacked in memory, as much as 100 MB. Projects take turns. */
export const downloadLimits = {
  atOnce: 2,
  atOnceOfOne: 1,
  waitingOfOne: 20,
  refusal: "This project has 20 downloads of builds waiting already. Wait for them, then try again.",
};

const placeRow = columns({ deployment: text, path: text }, "f");

/**
 * A file of a project's deployments by its IPFS hash: the manifest that a deployment id is the hash of, or a file that
 * it links to. Files of other projects are unknown.
 * @returns undefined if no version of the project has such a file
 * @throws DatabaseError
 */
export async function readDeployedFile(
  database: Database,
  project: string,
  cid: string,
): Promise<Uint8Array | undefined> {
  const place = await placeOf(database, project, cid);
  const bundle = place && (await readBundle(database, place.deployment));
  if (!bundle) return undefined;
  return place.path === "" ? (await linked(bundle)).manifest : openBundle(bundle).file(place.path);
}

async function placeOf(database: Database, project: string, cid: string): Promise<FilePlace | undefined> {
  if (!isCidV0(cid)) return undefined;
  const known = await listedPlace(database, project, cid);
  if (known) return known;
  const unlisted = await database.query(
    SQL`select distinct v.deployment from graphloom.versions v join graphloom.builds b using (deployment)
      where v.project = $1::text
        and not exists (select from graphloom.build_files f where f.deployment = v.deployment)`,
    [project],
  );
  for (const row of unlisted) await listFiles(database, cell(row, "deployment"));
  return unlisted.length === 0 ? undefined : listedPlace(database, project, cid);
}

async function listedPlace(sql: Sql, project: string, cid: string): Promise<FilePlace | undefined> {
  const [row] = await sql.query(
    SQL`select ${placeRow.list} from graphloom.build_files f join graphloom.versions v using (deployment)
      where v.project = $1::text and f.cid = $2::text limit 1`,
    [project, cid],
  );
  return row && placeRow.read(row);
}

/** Lists the files of a build, once for all projects. */
async function listFiles(database: Database, deployment: string): Promise<void> {
  const bundle = await readBundle(database, deployment);
  if (!bundle) return;
  const { files } = await linked(bundle);
  const paths = new Map([...files.map(({ cid, path }) => [cid, path] as const), [deployment, ""]]);
  await database.transaction(async (sql) => {
    // The build must not be dropped before its files are listed.
    const kept = await sql.query(
      SQL`select from graphloom.builds where deployment = $1::text for key share`,
      [deployment],
    );
    if (kept.length === 0) return;
    await sql.query(
      SQL`insert into graphloom.build_files (deployment, cid, path)
        select $1::text, f.cid, f.path from unnest($2::text[], $3::text[]) as f(cid, path) on conflict do nothing`,
      [deployment, arrayText([...paths.keys()]), arrayText([...paths.values()])],
    );
  });
}

async function linked(bundle: Uint8Array): Promise<LinkedBuild> {
  return linkBuild(collectBuild({ manifest: manifestPath, files: await unzipBundle(bundle) }));
}
