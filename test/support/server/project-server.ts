import { afterAll, beforeAll, onTestFinished } from "vitest";
import type { HostedStatus } from "../../../src/hosting/engine.js";
import { oneClient } from "../../../src/platform/endpoints/options.js";
import { createSignInCodes } from "../../../src/platform/pages/sign-in/sign-in-codes.js";
import { createAccounts } from "../../../src/platform/people/accounts.js";
import { addApiKey, type Role } from "../../../src/platform/people/api-keys.js";
import { createProject } from "../../../src/platform/people/projects.js";
import { serverParts } from "../../../src/platform/server-parts.js";
import { findVersion, listVersions, type SubgraphVersion } from "../../../src/platform/subgraphs/versions.js";
import { listWebhooks, type Webhook } from "../../../src/platform/webhooks/webhooks.js";
import { type Database, SQL } from "../../../src/store/database/database.js";
import type { LogLine } from "../../../src/store/logs/log-line.js";
import { onEither, world } from "../database/databases.js";
import { type FaultyProxy, startFaultyProxy } from "../network/faulty-proxy.js";
import { startPlatform, type TestPlatform } from "./platform-server.js";

const networks = ["mainnet", "base", "matic", "arbitrum-one", "sepolia"];

/** The prefix of every project's key. */
export const token = "tok-5f0c1e-secret";

/** The served platform with one project for a test, behind a proxy that fails on command. */
export interface ProjectServer extends FaultyProxy {
  /** Base address of the API, with `/api/v1`. */
  readonly url: string;
  /** Protocol, host and port of the platform, as they appear in its answers. */
  readonly platform: string;
  readonly project: string;
  /** The key of the project. */
  readonly token: string;
  /** Its deployments, by name and version. */
  versions(): Promise<readonly SubgraphVersion[]>;
  tags(): Promise<readonly SubgraphVersion[]>;
  webhooks(): Promise<readonly Webhook[]>;
  version(name: string, version: string): Promise<SubgraphVersion>;
  /** Sets the status of a version. */
  status(name: string, version: string, status: HostedStatus): Promise<void>;
  /** Adds to the log of a version. */
  log(name: string, version: string, ...lines: readonly LogLine[]): Promise<void>;
}

export interface ProjectOptions {
  /** The role of the key; `Editor` by default. */
  readonly role?: Role;
}

/**
 * Lets the tests of a file share a platform, whose engine indexes nothing. Call it outside of tests.
 * @returns a function that makes a project for one test
 */
export function useProjects(): (options?: ProjectOptions) => Promise<ProjectServer> {
  const { fresh } = onEither();
  let database: Database;
  let platform: TestPlatform;
  let made = 0;
  beforeAll(async () => {
    database = await fresh();
    const parts = serverParts(
      { codes: createSignInCodes(world), accounts: createAccounts(world) },
      oneClient,
    );
    platform = await startPlatform(database, { parts, networks });
  });
  afterAll(() => platform.close());

  return async ({ role = "Editor" } = {}) => {
    made += 1;
    const project = `project_${made}`;
    const key = `${token}-${made}`;
    await createProject(database, { id: project, name: project });
    await addApiKey(database, { id: `key_${made}`, project, name: "test", role, key });
    const proxy = await startFaultyProxy(platform.address);
    onTestFinished(async () => {
      await proxy.stop();
      await forget(project);
    });
    const entries = () => listVersions(database, project, { limit: 1000 });
    const version = async (name: string, label: string): Promise<SubgraphVersion> => {
      const found = await findVersion(database, { project, name, version: label });
      if (!found) throw new Error(`the project has no ${name}/${label}`);
      return found;
    };
    const { double } = platform.hosting;
    return {
      ...proxy,
      url: `${proxy.origin}/api/v1`,
      platform: platform.address,
      project,
      token: key,
      versions: async () => (await entries()).filter(({ target }) => target === undefined),
      tags: async () => (await entries()).filter(({ target }) => target !== undefined),
      webhooks: () => listWebhooks(database, project),
      version,
      status: async (name, label, status) =>
        void double.statuses.set((await version(name, label)).deployment, status),
      async log(name, label, ...lines) {
        const { deployment } = await version(name, label);
        double.lines.set(deployment, [...(double.lines.get(deployment) ?? []), ...lines]);
      },
    };
  };

  /** Deletes the project of one test, so that other tests start without it. */
  async function forget(project: string): Promise<void> {
    await database.query(SQL`delete from graphloom.webhooks where project = $1::text`, [project]);
    await database.query(SQL`delete from graphloom.tags where project = $1::text`, [project]);
    await database.query(SQL`delete from graphloom.projects where id = $1::text`, [project]);
    await platform.hosting.reconcile();
  }
}
