import type { Sql } from "../../store/database/database.js";
import { ProjectView } from "../endpoints/project-view.js";
import { PublicView } from "../endpoints/public-view.js";
import { type Endpoint, findProjectName, projectVersionsOf } from "../subgraphs/endpoints.js";
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

/** What a project's key may see, including names that tools have created in the project. */
export class DoorProjectView extends ProjectView {
  protected override async placeOf(
    path: string,
  ): Promise<{ readonly name: string; readonly version?: string | undefined } | undefined> {
    const subgraph = await subgraphOf(this.database, this.project, path);
    return subgraph === undefined ? super.placeOf(path) : { name: subgraph };
  }
}
