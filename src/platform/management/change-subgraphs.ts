import type { FastifyRequest } from "fastify";
import type { Subgraph } from "../../api/contract.js";
import type { Sql } from "../../store/database/database.js";
import { callerOf } from "../http/roles.js";
import type { Platform } from "../platform.js";
import { Problem } from "../problem.js";
import { requireEntry, requireVersion, showEntries } from "../subgraphs/find-subgraph.js";
import {
  changeVersion,
  deleteTag,
  deleteVersion,
  findVersion,
  setPaused,
  setTag,
  tagsOf,
  type VersionName,
} from "../subgraphs/versions.js";
import type { Ask, Handlers } from "./operations.js";

/** What refers to a version besides its tags, in words: `the webhook "swaps"`. */
export type References = (sql: Sql, version: VersionName) => Promise<readonly string[]>;

type Changes =
  | "updateSubgraphVersion"
  | "pauseSubgraph"
  | "resumeSubgraph"
  | "setSubgraphTag"
  | "deleteSubgraphTag"
  | "deleteSubgraphDeployment";

/** Changes of versions and tags that are there. */
export function subgraphChanges(
  platform: Platform,
  references: readonly References[],
): Pick<Handlers, Changes> {
  const { database, hosting } = platform;
  return {
    updateSubgraphVersion: async ({ path, body = {}, request }) => {
      const name = nameOf(path, request);
      await requireEntry(database, name);
      const {
        description,
        public_endpoint_enabled: hasPublicEndpoint,
        private_endpoint_enabled: hasPrivateEndpoint,
      } = body;
      await changeVersion(database, name, {
        ...(description !== undefined && { description }),
        ...(hasPublicEndpoint !== undefined && { hasPublicEndpoint }),
        ...(hasPrivateEndpoint !== undefined && { hasPrivateEndpoint }),
      });
      return { data: await shown(name, request) };
    },
    pauseSubgraph: (ask) => pause(ask, true),
    resumeSubgraph: (ask) => pause(ask, false),
    setSubgraphTag: async ({ path, body, request }) => {
      const tag = nameOf(path, request);
      const target = body?.target_version ?? "";
      await database.transaction(async (sql) => {
        await requireVersion(sql, { ...tag, version: target });
        await refuseToOpen(sql, tag, target);
        if (await setTag(sql, tag, target)) return;
        throw new Problem("conflict", `"${tag.name}/${tag.version}" is a version; a tag needs another name.`);
      });
      return { data: await shown(tag, request) };
    },
    deleteSubgraphTag: async ({ path, request }) => {
      const tag = nameOf(path, request);
      if (await deleteTag(database, tag)) return undefined;
      const isVersion = (await findVersion(database, tag)) !== undefined;
      if (isVersion)
        throw new Problem("unprocessable", `"${tag.name}/${tag.version}" is a version, not a tag.`);
      throw new Problem("subgraph-not-found", `There is no tag "${tag.version}" of "${tag.name}".`);
    },
    deleteSubgraphDeployment: async ({ path, request }) => {
      const name = nameOf(path, request);
      const { deployment } = await database.transaction(async (sql) => {
        const version = await requireVersion(sql, name);
        const users = [
          ...(await tagsOf(sql, name)).map((tag) => `the tag "${tag}"`),
          ...(await Promise.all(references.map((find) => find(sql, name)))).flat(),
        ];
        if (users.length > 0) {
          const detail = `"${name.name}/${name.version}" is still used by ${users.join(", ")}; delete that first.`;
          throw new Problem("in-use", detail);
        }
        await deleteVersion(sql, name);
        return version;
      });
      await hosting.reconcile([deployment]);
      return undefined;
    },
  };

  async function pause(
    { path, request }: Ask<"pauseSubgraph" | "resumeSubgraph">,
    isPaused: boolean,
  ): Promise<undefined> {
    const name = nameOf(path, request);
    const { deployment } = await requireVersion(database, name);
    await setPaused(database, name, isPaused);
    await hosting.reconcile([deployment]);
    return undefined;
  }

  async function shown(name: VersionName, request: FastifyRequest): Promise<Subgraph> {
    const [subgraph] = await showEntries([await requireEntry(database, name)], platform, request.log);
    if (subgraph) return subgraph;
    throw new Problem("subgraph-not-found", `There is no subgraph "${name.name}/${name.version}".`);
  }
}

/** A tag keeps its endpoints when it moves: one that is public would open what was closed. @throws Problem `unprocessable` */
async function refuseToOpen(sql: Sql, tag: VersionName, target: string): Promise<void> {
  const known = await findVersion(sql, tag);
  const aim = await findVersion(sql, { ...tag, version: target });
  const isMoving = known?.target !== undefined && known.target !== target;
  if (!isMoving || !known.hasPublicEndpoint || aim?.hasPublicEndpoint !== false) return;
  throw new Problem(
    "unprocessable",
    `The public endpoint of the tag "${tag.name}/${tag.version}" is on, and that of "${tag.name}/${target}" is off: ` +
      "once the tag pointed there, anybody could query it. Turn the tag's off or the version's on first.",
  );
}

function nameOf(
  path: { readonly name: string; readonly version: string },
  request: FastifyRequest,
): VersionName {
  return { project: callerOf(request).project, name: path.name, version: path.version };
}
