import type { SayLine } from "../../rpc/node-watch.js";
import type { EngineTrouble } from "../engine.js";
import { type Doors, question } from "./doors.js";
import type { GraphNodeTables } from "./graph-node-tables.js";

type Address = "admin" | "status" | "query" | "ipfs" | "postgres";

const shown: Readonly<Record<Address, string>> = {
  admin: "the admin address",
  status: "the status address",
  query: "the query address",
  ipfs: "the IPFS address",
  postgres: "the database",
};

/** A deployment for which graph-node reports blocks. */
type Known = string | undefined;

/**
 * Checks each address of a graph-node with a request that only the right interface answers: at the start, and again
 * while something is wrong. Logs each problem once.
 */
export class AddressWatch {
  readonly #doors: Doors;
  readonly #tables: GraphNodeTables | undefined;
  readonly #say: SayLine;
  readonly #wrong = new Map<Address, string>();
  readonly #fine = new Set<Address>();
  /** The addresses that were checked for the deployments in the status. */
  readonly #same = new Set<Address>();

  constructor(doors: Doors, tables: GraphNodeTables | undefined, say: SayLine) {
    this.#doors = doors;
    this.#tables = tables;
    this.#say = say;
  }

  /** The current problems. */
  get troubles(): readonly EngineTrouble[] {
    return [...this.#wrong].map(([address, why]) => ({ address, why }));
  }

  /**
   * Checks the addresses that have not passed yet.
   * @param known a deployment that distinguishes this graph-node from others, once there is one
   */
  async look(known: Known): Promise<void> {
    const { verify, query } = this.#doors;
    const tables = this.#tables;
    await Promise.all([
      this.#ask("admin", verify.admin),
      this.#ask("status", verify.status),
      this.#ask("query", verify.query),
      this.#ask("ipfs", verify.ipfs),
      tables && this.#ask("postgres", () => tables.verify()),
    ]);
    if (known === undefined) return;
    await this.#compare("query", () => query.knows(known, question));
    if (tables) await this.#compare("postgres", () => tables.knows(known));
  }

  /** Records another component's finding about an address. No reason means no problem. */
  note(address: Address, why: string | undefined): void {
    const before = this.#wrong.get(address);
    if (why === undefined) {
      this.#wrong.delete(address);
      if (before !== undefined) this.#say("info", `graph-node: ${shown[address]} works now`);
    } else if (before !== why) {
      this.#wrong.set(address, why);
      this.#say("warn", `graph-node: ${why}`);
    }
  }

  async #ask(address: Address, verify: () => Promise<void>): Promise<void> {
    if (this.#fine.has(address)) return;
    try {
      await verify();
      this.#fine.add(address);
      this.note(address, undefined);
    } catch (error) {
      this.note(address, this.#doors.whyOf(error));
    }
  }

  async #compare(address: Address, knows: () => Promise<boolean>): Promise<void> {
    if (this.#same.has(address) || !this.#fine.has(address)) return;
    // Whether it answers at all is reported elsewhere.
    const isKnown = await knows().catch(() => undefined);
    if (isKnown === undefined) return;
    if (isKnown) this.#same.add(address);
    this.note(address, isKnown ? undefined : foreign(address));
  }
}

/** An address that leads to a different graph-node than the status address. */
export function foreign(address: Address): string {
  return `${shown[address]} does not know the deployments of this server: it belongs to another graph-node`;
}
