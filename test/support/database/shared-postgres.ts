import type { TestProject } from "vitest/node";
import { type PostgresServer, postgresMissing, startPostgres } from "./postgres-server.js";

declare module "vitest" {
  interface ProvidedContext {
    /** The folder of the socket of the PostgreSQL server that all files share. */
    readonly postgresFolder: string;
  }
}

let server: PostgresServer | undefined;

/** Starts the PostgreSQL server that all files share, if PostgreSQL is installed. */
export async function setup(project: TestProject): Promise<void> {
  if (postgresMissing !== undefined) return;
  server = await startPostgres();
  project.provide("postgresFolder", server.folder);
}

export async function teardown(): Promise<void> {
  await server?.stop();
}
