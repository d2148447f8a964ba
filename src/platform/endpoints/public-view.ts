import type { Sql } from "../../store/database/database.js";
import {
  type Endpoint,
  findPublicDeployment,
  findPublicName,
  listPublicDeployments,
  type PublicDeployment,
  publicVersionsOf,
} from "../subgraphs/endpoints.js";
import { splitName } from "./names.js";

/** The deployments that a request may query without naming a project, and whose status it may see. */
export interface EndpointView {
  /** Distinguishes views that see different things. */
  readonly key: string;
  /** Whether the request comes from a member of a project, whose own work its proofs may claim. */
  readonly isOfMember: boolean;
  /** @param path a subgraph's name, or one with a version or a tag @throws DatabaseError */
  byName(path: string): Promise<Endpoint | undefined>;
  /** @throws DatabaseError */
  byId(deployment: string): Promise<Endpoint | undefined>;
  /** All deployments, oldest first. @throws DatabaseError */
  list(): Promise<readonly PublicDeployment[]>;
  /** The deployments of a name, newest first. A name with a version has only that version's. @throws DatabaseError */
  versionsOf(path: string): Promise<readonly string[]>;
}

/** The deployments that anyone may see. */
export class PublicView implements EndpointView {
  readonly key = "";
  readonly isOfMember = false;
  readonly #database: Sql;

  constructor(database: Sql) {
    this.#database = database;
  }

  async byName(path: string): Promise<Endpoint | undefined> {
    const split = splitName(path);
    return split && findPublicName(this.#database, split.name, split.version);
  }

  byId(deployment: string): Promise<Endpoint | undefined> {
    return findPublicDeployment(this.#database, deployment);
  }

  list(): Promise<readonly PublicDeployment[]> {
    return listPublicDeployments(this.#database);
  }

  async versionsOf(path: string): Promise<readonly string[]> {
    const split = splitName(path);
    if (!split) return [];
    if (split.version === undefined) return publicVersionsOf(this.#database, split.name);
    const found = await this.byName(path);
    return found ? [found.deployment] : [];
  }
}
