import type { World } from "../../base/world.js";
import type { Database } from "../../store/database/database.js";
import type { Outgoing } from "../../web/outgoing/outgoing.js";
import type { TransformDefinition } from "../definition/definition.js";
import type { TransformType } from "../definition/shapes.js";
import type { PlannedTransform } from "../plan/pipeline-plan.js";
import type { ScriptProgram, ScriptRunner } from "../script/script-engine.js";
import type { MysqlDatabase } from "../sinks/mysql-database.js";
import type { RowTransform } from "./row-transform.js";

/** The outside world of transforms. */
export interface TransformWorld {
  /** The value of a secret; `undefined` if there is no secret with this name. */
  secret(name: string): string | undefined;
  /** Opens a user's database. @throws DatabaseError */
  openDatabase(address: string): Promise<Database>;
  /** Opens a user's MySQL or MariaDB database. @throws MysqlError */
  openMysql(address: string): Promise<MysqlDatabase>;
  /** Opens a script that can reach nothing but its rows. */
  openScript(program: ScriptProgram): Promise<ScriptRunner>;
  /** Sends requests to addresses of the definition. */
  readonly outgoing: Pick<Outgoing, "send">;
  readonly clock: Pick<World, "timeout" | "now">;
}

/** A transform of some type, with its columns. */
export type PlannedTransformOf<T extends TransformType> = PlannedTransform & {
  readonly definition: Extract<TransformDefinition, { readonly type: T }>;
};

/** Opens a transform of a type. @throws TransformError */
export type OpenTransform<T extends TransformType> = (
  planned: PlannedTransformOf<T>,
  world: TransformWorld,
) => Promise<RowTransform>;
