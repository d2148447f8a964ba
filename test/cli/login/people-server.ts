import { afterAll, beforeAll, onTestFinished } from "vitest";
import { oneClient } from "../../../src/platform/endpoints/options.js";
import { createSignInCodes } from "../../../src/platform/pages/sign-in/sign-in-codes.js";
import { createAccounts } from "../../../src/platform/people/accounts.js";
import type { Role } from "../../../src/platform/people/api-keys.js";
import { grantCode, readAuthorizationRequest } from "../../../src/platform/people/authorization.js";
import { createPasswords } from "../../../src/platform/people/passwords/passwords.js";
import { createProject } from "../../../src/platform/people/projects.js";
import { serverParts } from "../../../src/platform/server-parts.js";
import { type Database, SQL } from "../../../src/store/database/database.js";
import { onEither, world } from "../../support/database/databases.js";
import { type FaultyProxy, startFaultyProxy } from "../../support/network/faulty-proxy.js";
import { addPerson, type TestPerson } from "../../support/server/people.js";
import { startPlatform, type TestPlatform } from "../../support/server/platform-server.js";
import { graphloom, type Ran } from "../harness.js";
import { home } from "../process.js";

/** A platform with people, for the tests of a file. */
export interface PeopleServer {
  readonly database: Database;
  readonly platform: TestPlatform;
  /** Opens a second address of the platform. To the command line, it is a different server. */
  open(): Promise<FaultyProxy & { readonly url: string }>;
  choosePassword(person: TestPerson, password: string): Promise<void>;
  /** Creates a project. @returns its id */
  project(name: string): Promise<string>;
  /** Creates an account with a token. @param memberships roles by project */
  person(name: string, memberships?: Readonly<Record<string, Role>>): Promise<TestPerson>;
}

/** Call it outside of tests. @returns a function that returns the platform inside a test */
export function usePeople(): () => PeopleServer {
  const { fresh } = onEither();
  let server: PeopleServer;
  let made = 0;
  beforeAll(async () => {
    const database = await fresh();
    // The clock advances with every call, so that rate limits of one test do not affect the next.
    let later = 0;
    const now = (): number => {
      later += 60_000;
      return world.now() + later;
    };
    const passwords = createPasswords(2 ** 10);
    const accounts = createAccounts({ now }, { passwords });
    const parts = serverParts({ codes: createSignInCodes(world), accounts }, oneClient);
    const platform = await startPlatform(database, { parts });
    server = {
      database,
      platform,
      async open() {
        const proxy = await startFaultyProxy(platform.address);
        onTestFinished(() => proxy.stop());
        return { ...proxy, url: `${proxy.origin}/api/v1` };
      },
      async choosePassword({ id }, password) {
        await database.query(SQL`update graphloom.users set password_hash = $2::text where id = $1::text`, [
          id,
          await passwords.hash(password, { client: "127.0.0.1" }),
        ]);
      },
      async project(name) {
        made += 1;
        const id = `project_${made}`;
        await createProject(database, { id, name });
        return id;
      },
      async person(name, memberships) {
        made += 1;
        return addPerson(database, `${name}.${made}@example.com`, memberships);
      },
    };
  });
  afterAll(() => server.platform.close());
  return () => server;
}

/** A person's machine: the command line and its files. */
export interface Machine {
  readonly home: string;
  /** Runs a command line. Arguments are separated by spaces. */
  run(line: string, more?: Parameters<typeof graphloom>[2]): Promise<Ran>;
}

export function useMachine(): Machine {
  const folder = home();
  return {
    home: folder,
    run: (line, { env, ...more } = {}) =>
      graphloom(folder, line, { stdin: "", ...more, env: { HOME: folder, ...env } }),
  };
}

/** The address of a page in the output of a command. */
export function pageIn(text: string): string | undefined {
  return /^ {2}(http\S+)$/m.exec(text)?.[1];
}

/** Allows a login as the page does. @returns the code */
export function allow({ database }: PeopleServer, person: TestPerson, page: string): Promise<string> {
  return grantCode(database, person, readAuthorizationRequest(new URL(page).searchParams));
}
