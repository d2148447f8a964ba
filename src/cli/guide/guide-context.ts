import type { World } from "../../base/world.js";
import type { Host } from "../../compiler/host.js";
import type { FoundContract, FoundDeployment } from "../../discovery/found.js";
import type { Terminal } from "../terminal/terminal.js";
import type { Answers } from "./answers.js";
import type { GuideArguments } from "./guide-arguments.js";

/** The context of a running guide: how it asks, and what it can look up. */
export interface Guide {
  readonly args: GuideArguments;
  /** Wraps lines at spaces. */
  readonly terminal: Terminal;
  /** The same terminal without wrapping, for output with its own layout. */
  readonly plain: Terminal;
  readonly answers: Answers;
  readonly host: Host;
  readonly world: World;
  /** The contracts found in the folder. */
  readonly contracts: readonly FoundContract[];
  /** The deployments recorded in the folder. */
  readonly records: readonly FoundDeployment[];
}
