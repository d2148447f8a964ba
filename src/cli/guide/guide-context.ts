import type { World } from "../../base/world.js";
import type { Host } from "../../compiler/host.js";
import type { FoundContract, FoundDeployment } from "../../discovery/found.js";
import type { Terminal } from "../terminal/terminal.js";
import type { Answers } from "./answers.js";
import type { GuideArguments } from "./guide-arguments.js";

/** A guide under way: what it asks with, and what it may look at. */
export interface Guide {
  readonly args: GuideArguments;
  /** Breaks lines at blanks. */
  readonly terminal: Terminal;
  /** The same as it is, for what has a layout of its own. */
  readonly plain: Terminal;
  readonly answers: Answers;
  readonly host: Host;
  readonly world: World;
  /** The contracts that lie in the folder. */
  readonly contracts: readonly FoundContract[];
  /** The deployments that are recorded in it. */
  readonly records: readonly FoundDeployment[];
}
