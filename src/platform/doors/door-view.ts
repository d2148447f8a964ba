import type { Sql } from "../../store/database/database.js";
import { splitName } from "../endpoints/names.js";
import { type EndpointView, PublicView } from "../endpoints/public-view.js";
import {
  type Endpoint,
  findProjectDeployment,
  findProjectName,
  listProjectDeployments,
  type PublicDeployment,
  projectVersionsOf,
} from "../subgraphs/endpoints.js";
import { namesOf, subgraphOf } from "./door-names.js";

/** What anyone may see, including names that tools have created. */
export class DoorView extends PublicView {
  readonly #database: Sql;

  constructor(database: Sql) {
    super(database);
    this.#database = database;
  }

  override async byName(path: string): Promise<Endpoint | undefined> {
    for (const { project, subgraph } of await namesOf(this.#database, path)) {
      const found = await findProjectName(this.#database, project, subgraph, undefined, "public");
      if (found) return found;
    }
    return super.byName(path);
  }

  override async versionsOf(path: string): Promise<readonly string[]> {
    for (const { project, subgraph } of await namesOf(this.#database, path)) {
      const found = await projectVersionsOf(this.#database, project, subgraph, "public");
      if (found.length > 0) return found;
    }
    return super.versionsOf(path);
  }
}

/** What a project's key may see: the status of all its deployments, and the ones with an enabled endpoint. */
export class ProjectView implements EndpointView {
  readonly key: string;
  readonly #database: Sql;
  readonly #project: string;

  constructor(database: Sql, project: string) {
    this.key = `${project} `;
    this.#database = database;
    this.#project = project;
  }

  async byName(path: string): Promise<Endpoint | undefined> {
    const place = await this.#placeOf(path);
    return place && findProjectName(this.#database, this.#project, place.name, place.version);
  }

  byId(deployment: string): Promise<Endpoint | undefined> {
    return findProjectDeployment(this.#database, this.#project, deployment);
  }

  list(): Promise<readonly PublicDeployment[]> {
    return listProjectDeployments(this.#database, this.#project);
  }

  async versionsOf(path: string): Promise<readonly string[]> {
    const place = await this.#placeOf(path);
    if (!place) return [];
    if (place.version === undefined) return projectVersionsOf(this.#database, this.#project, place.name);
    const found = await this.byName(path);
    return found ? [found.deployment] : [];
  }

  async #placeOf(path: string): Promise<{ readonly name: string; readonly version?: string } | undefined> {
    const subgraph = await subgraphOf(this.#database, this.#project, path);
    return subgraph === undefined ? splitName(path) : { name: subgraph };
  }
}
