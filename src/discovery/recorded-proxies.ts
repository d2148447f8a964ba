import { blockOf, isAddress, recordsOf } from "./record-values.js";

/** The events that say where a proxy leads: to an implementation, or to a beacon that knows one. */
const leading = {
  // Upgraded(address)
  "0xbc7cd75a20ee27fd9adebab32041f755214dbc6bffa90cc0225b39da2e5c2d3b": "implementation",
  // BeaconUpgraded(address)
  "0x1cf3b03a6cf19fa2baba4df148e9dcabedea7f8a5c07840e207e5c089be95d3e": "beacon",
} as const;

/** A contract that was created according to a record, and its constructor's arguments. */
export interface RecordedCreation {
  readonly address: string;
  readonly name: string | undefined;
  /** The constructor's arguments, if recorded. */
  readonly arguments: unknown;
}

interface Lead {
  readonly to: string;
  readonly block: number;
  /** Index of the transaction in the block. */
  readonly index: number;
}

/** Maximum number of steps to follow: from a proxy to a beacon, and on to an implementation. */
const mostSteps = 4;

/**
 * Where the proxies of one network lead, according to the receipts of the transactions that created and
 * upgraded them. For a proxy without such events, the first argument of its constructor counts, if that
 * contract was created here, too.
 */
export class RecordedProxies {
  /** By the address that emitted the events. */
  readonly #leads = new Map<string, Lead[]>();
  readonly #beacons = new Set<string>();
  readonly #created = new Map<string, RecordedCreation>();

  /** Records the relevant logs of a receipt. */
  readReceipt(receipt: Readonly<Record<string, unknown>>): void {
    const block = blockOf(receipt.blockNumber) ?? 0;
    const index = blockOf(receipt.transactionIndex) ?? 0;
    for (const { address, topics } of recordsOf(receipt.logs)) {
      const [topic, target] = Array.isArray(topics) ? topics : [];
      const kind = Object.entries(leading).find(([hash]) => hash === topic)?.[1];
      const to = addressIn(target);
      if (kind === undefined || to === undefined || !isAddress(address)) continue;
      if (kind === "beacon") this.#beacons.add(to);
      const from = address.toLowerCase();
      // Files are read in any order, and the latest upgrade counts.
      const leads = [...(this.#leads.get(from) ?? []), { to, block, index }];
      this.#leads.set(
        from,
        leads.sort((a, b) => a.block - b.block || a.index - b.index),
      );
    }
  }

  /** Records the creation of a contract. */
  addCreation(creation: RecordedCreation): void {
    this.#created.set(creation.address.toLowerCase(), creation);
  }

  /** The addresses that emitted the events of proxies, in lower case. */
  get proxies(): readonly string[] {
    return [...this.#leads.keys()].filter((address) => !this.#beacons.has(address));
  }

  /** The contract whose code runs at an address, in lower case; `undefined` if the records show no proxy. */
  implementationOf(address: string): string | undefined {
    const own = address.toLowerCase();
    let current = own;
    for (let step = 0; step < mostSteps; step++) {
      const next = this.#targetsOf(current).at(-1);
      if (next === undefined || next === own) break;
      current = next;
    }
    return current === own ? undefined : current;
  }

  /** The contracts whose code an address ran before it was upgraded, in lower case; the latest first. */
  formerImplementationsOf(address: string): readonly string[] {
    const own = address.toLowerCase();
    const seen = new Set([own]);
    const ends: string[] = [];
    let front = [own];
    for (let step = 0; step < mostSteps; step++) {
      const next = front.flatMap((one) => this.#targetsOf(one).toReversed()).filter((one) => !seen.has(one));
      for (const one of next) seen.add(one);
      // Targets that lead further are beacons, or proxies themselves.
      ends.push(...next.filter((one) => this.#targetsOf(one).length === 0));
      front = next;
    }
    const current = this.implementationOf(own);
    return [...new Set(ends)].filter((one) => one !== current);
  }

  /** Where an address led, the latest target last. */
  #targetsOf(address: string): readonly string[] {
    const first = this.#byArguments(address);
    const leads = this.#leads.get(address)?.map(({ to }) => to) ?? [];
    return first === undefined ? leads : [first, ...leads];
  }

  #byArguments(address: string): string | undefined {
    const { name, arguments: given } = this.#created.get(address) ?? {};
    if (!this.#beacons.has(address) && !isNameOfProxy(name)) return undefined;
    const first: unknown = Array.isArray(given) ? given[0] : undefined;
    const target = isAddress(first) ? first.toLowerCase() : undefined;
    return target !== undefined && this.#created.has(target) ? target : undefined;
  }
}

/** Whether a contract's name is typical of proxies and their beacons. */
export function isNameOfProxy(name: string | undefined): boolean {
  return /proxy|beacon|^erc1967/i.test(name ?? "") && !/admin|factory|registry/i.test(name ?? "");
}

function addressIn(topic: unknown): string | undefined {
  const [, digits] = /^0x0{24}([0-9a-f]{40})$/i.exec(typeof topic === "string" ? topic : "") ?? [];
  return digits === undefined || /^0+$/.test(digits) ? undefined : `0x${digits.toLowerCase()}`;
}
