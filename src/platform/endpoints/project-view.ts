import type { Sql } from "../../store/database/database.js";
import {
  type Endpoint,
  findProjectDeployment,
  findProjectName,
  listProjectDeployments,
  type PublicDeployment,
  projectVersionsOf,
} from "../subgraphs/endpoints.js";
import { splitName } from "./names.js";
import type { EndpointView } from "./public-view.js";

/** What a project's members may see: the status of all its deployments, and the ones with an enabled endpoint. */
export class ProjectView implements EndpointView {
  readonly key: string;
  readonly isOfMember = true;
  protected readonly database: Sql;
  protected readonly project: string;

  constructor(database: Sql, project: string) {
    this.key = `${project} `;
    this.database = database;
    this.project = project;
  }

  async byName(path: string): Promise<Endpoint | undefined> {
    const place = await this.placeOf(path);
    return place && findProjectName(this.database, this.project, place.name, place.version);
  }

  byId(deployment: string): Promise<Endpoint | undefined> {
    return findProjectDeployment(this.database, this.project, deployment);
  }

  list(): Promise<readonly PublicDeployment[]> {
    return listProjectDeployments(this.database, this.project);
  }

  async versionsOf(path: string): Promise<readonly string[]> {
    const place = await this.placeOf(path);
    if (!place) return [];
    if (place.version === undefined) return projectVersionsOf(this.database, this.project, place.name);
    const found = await this.byName(path);
    return found ? [found.deployment] : [];
  }

  protected async placeOf(
    path: string,
  ): Promise<{ readonly name: string; readonly version?: string | undefined } | undefined> {
    return splitName(path);
  }
}
