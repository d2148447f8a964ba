import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { deleteVersion } from "../../src/platform/subgraphs/versions.js";
import { findDeployment } from "../../src/store/deployments/deployments.js";
import { rememberedBlock } from "../../src/store/entities/rewind.js";
import { openDatabase } from "../../src/store/open.js";
import { manifestPath } from "../../src/subgraph/build.js";
import { collectBuild } from "../../src/subgraph/collect-build.js";
import { linkBuild } from "../../src/subgraph/deployment/link-build.js";
import { unzipBundle } from "../../src/subgraph/unzip-bundle.js";
import { zipBuild } from "../../src/subgraph/zip-build.js";
import { useAnvil } from "../support/chain/anvil.js";
import { serverDatabase, world } from "../support/database/databases.js";
import { postgresMissing } from "../support/database/postgres-server.js";
import { blocksBundle } from "./blocks.js";
import { type Bundle, type Host, host, project, until } from "./hosted.js";

const anvil = useAnvil();
const leaseTimes = { look: 100, silence: 60_000 };
/** The deployments, each with a version of its number. */
let bundles: readonly Bundle[];
beforeAll(async () => {
  const { zip } = await blocksBundle("keep");
  const files = await unzipBundle(zip);
  bundles = Array.from({ length: 6 }, (_, number) => {
    // Give each build a different hash.
    const manifest = `${String(files.get(manifestPath))}\ndescription: number ${number}\n`;
    const own = new Map([...files, [manifestPath, new TextEncoder().encode(manifest)]]);
    const build = collectBuild({ manifest: manifestPath, files: own });
    return { deployment: linkBuild(build).deploymentId, zip: zipBuild(build) };
  });
});

let address: string;
/** Starts a server on the database that the test's servers share. */
async function server(network?: string): Promise<Host> {
  const database = await openDatabase(address, world);
  onTestFinished(() => database.close());
  return host({ database, address, nodes: [anvil().url], leaseTimes, ...(network && { network }) });
}

/** The deployments for which a server has threads. */
async function indexedBy({ engine }: Host): Promise<readonly string[]> {
  const all = await engine.status(bundles.map(({ deployment }) => deployment));
  return [...all].flatMap(([deployment, { handlersPerSecond }]) =>
    handlersPerSecond === undefined ? [] : [deployment],
  );
}

/** Mines a block, and waits until every deployment reaches the head. */
async function goOn(made: Host): Promise<void> {
  await anvil().mine(1);
  const head = await anvil().blockNumber();
  const heads = async () =>
    Promise.all(bundles.map(async ({ deployment }) => (await made.status(deployment))?.headBlock));
  await until("all are at the head", heads, (all) => all.every((one) => one === head));
}

const lines = async (made: Host, text: string): Promise<number> =>
  (await Promise.all(bundles.map(({ deployment }) => made.log(deployment))))
    .flat()
    .filter((line) => line.includes(text)).length;

describe.skipIf(postgresMissing !== undefined)("servers on one database", () => {
  it("servers divide the deployments, and one server indexes each", async () => {
    address = await serverDatabase();
    const first = await server();
    const versions = new Map(bundles.map(({ deployment }, number) => [deployment, `${number}.0.0`]));
    for (const bundle of bundles) await first.deploy(bundle, versions.get(bundle.deployment));
    await goOn(first);
    await until(
      "the first has all",
      () => indexedBy(first),
      ({ length }) => length === 6,
    );

    const stranger = await server("sepolia");
    await stranger.hosting.reconcile();
    const second = await server();
    await second.hosting.reconcile();
    const both = async () => {
      // Ask the second server first: a deployment may move from the first to the second in between.
      const [bySecond, byFirst] = [await indexedBy(second), await indexedBy(first)];
      expect(byFirst.filter((deployment) => bySecond.includes(deployment))).toEqual([]);
      return [byFirst.length, bySecond.length];
    };
    await until("each has its half", both, ([ofFirst, ofSecond]) => ofFirst === 3 && ofSecond === 3);
    await goOn(second);
    const handedOver = "Handed over to another server after block";
    await until(
      "it is in the logs",
      () => lines(first, handedOver),
      (count) => count === 3,
    );
    expect(await indexedBy(stranger)).toEqual([]);

    // Delete one of each server's deployments.
    const gone = [(await indexedBy(first))[0], (await indexedBy(second))[0]];
    for (const deployment of gone) {
      const version = { project, name: "test", version: versions.get(deployment ?? "") ?? "" };
      await deleteVersion(first.database, version);
    }
    await first.hosting.reconcile();
    const statuses = () =>
      Promise.all([first, second].flatMap((one) => gone.map((deployment) => one.status(deployment ?? ""))));
    await until("both have forgotten it", statuses, (all) => all.every((status) => status === undefined));
    bundles = bundles.filter(({ deployment }) => !gone.includes(deployment));
    await goOn(second);

    await second.hosting.close();
    await until(
      "the first has all again",
      () => indexedBy(first),
      ({ length }) => length === 4,
    );
    await goOn(first);
    expect(await lines(first, "another process")).toBe(0);

    // A server that does not index a deployment rewinds it.
    const deployment = bundles[0]?.deployment ?? "";
    const kept = async () => {
      const found = await findDeployment(first.database, deployment);
      const head = found?.head?.number ?? 0;
      return found && (await rememberedBlock(first.database, found, head - 1));
    };
    const to = await until("its last but one block is known", kept, (block) => block !== undefined);
    await stranger.engine.rewind?.(deployment, to ?? { number: 0, hash: "" }, [], async () => undefined);
    await goOn(first);
    const query = "{ notes(orderBy: id, first: 1000) { id text } }";
    expect(await first.query(deployment, query)).toEqual(
      await first.query(bundles[1]?.deployment ?? "", query),
    );
    await until(
      "the log says why it began again",
      () => lines(first, "or it was rewound"),
      (count) => count === 1,
    );
  });
});
