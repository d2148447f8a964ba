/** A task for a coding agent. Its prompt and its files are in the folder with its id. */
export interface Task {
  readonly id: string;
  /** The ABIs of the recorded chain that the agent finds in `abis`. */
  readonly abis?: readonly ("Exchange" | "Market" | "Token")[];
  /** Whether a server runs for the task, besides the node. */
  readonly needsServer?: boolean;
  /** Does what files alone cannot, such as a deployment. @throws Error if it cannot */
  readonly prepare?: (place: Place) => Promise<void>;
  /**
   * Decides whether the task is solved.
   * @returns why it is not solved, or undefined if it is
   */
  readonly check: (place: Place) => Promise<string | undefined>;
}

/** Where a task is worked on, and what runs for it. */
export interface Place {
  /** The folder of graphloom itself. */
  readonly root: string;
  /** The folder that the agent gets. */
  readonly work: string;
  /** A folder that the agent does not see. */
  readonly hidden: string;
  /** The address of a node of the recorded chain. */
  readonly node: string;
  readonly server?: ServerAccess | undefined;
}

/** How to reach a server. */
export interface ServerAccess {
  /** The base address of its management API. */
  readonly api: string;
  readonly token: string;
}

/** Thrown by helpers of checkers: the task is not solved, for the reason in the message. */
export class Unsolved extends Error {}
