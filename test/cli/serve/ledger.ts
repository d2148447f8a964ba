import { type Anvil, type Contract, callOf } from "../../support/chain/anvil.js";
import { compileContract } from "../../support/chain/solidity.js";
import { writtenSubgraph } from "../../support/compiler/written-subgraph.js";
import type { Draw } from "../../support/pool/draw.js";

/** The new balance of an account; without one, the account is deleted. */
export interface Move {
  readonly number: number;
  readonly account: number;
  readonly balance: number;
}

/** How much there is at a time. */
export interface LedgerSize {
  readonly accounts: number;
  /** Moves in a block. */
  readonly block: number;
}

/** The entities of a type by id, as a query returns them. */
export type Rows = readonly Readonly<Record<string, unknown>>[];

/** What a reverted block did. */
export interface Doomed {
  /** The account that only this block has. */
  readonly made: string;
  /** The account whose balance it changed. */
  readonly changed: string;
  /** The account that it deleted. */
  readonly ended: string;
}

/** The balances of the accounts of a reverted block; nothing for an account that does not exist. */
export type Balances = Record<keyof Doomed, unknown>;

/** With the block, and without it. */
export const balances = {
  doomed: { made: "6", changed: "7", ended: undefined },
  after: { made: undefined, changed: "5", ended: "5" },
} as const satisfies Record<string, Balances>;

const { abi, bytecode } = compileContract(
  `contract Ledger {
    event Moved(address indexed account, uint256 balance, uint256 number);
    function move(uint256[] calldata moves) external {
      for (uint256 i = 0; i < moves.length; i++)
        emit Moved(address(uint160(moves[i] >> 64)), uint32(moves[i] >> 32), uint32(moves[i]));
    }
  }`,
  "Ledger",
);

/** A chain whose blocks consist of moves, some of which are reverted. */
export class Ledger {
  readonly #anvil: Anvil;
  readonly #contract: Contract;
  readonly #draw: Draw;
  readonly #size: LedgerSize;
  /** The moves of the current chain. */
  readonly #blocks: (readonly Move[])[] = [];
  #numbers = 0;
  /** The next account that ordinary moves do not draw. */
  #special: number;
  /** The snapshot from which a reorganised chain continues. */
  #kept: { readonly snapshot: string; readonly blocks: number } | undefined;
  /** Changes of entities in all blocks, including reverted ones. */
  written = 0;
  /** Reverted blocks. */
  orphaned = 0;

  private constructor(anvil: Anvil, contract: Contract, draw: Draw, size: LedgerSize) {
    this.#anvil = anvil;
    this.#contract = contract;
    this.#draw = draw;
    this.#size = size;
    this.#special = size.accounts;
  }

  /** Deploys the contract; from then on, only the ledger mines blocks. */
  static async start(anvil: Anvil, draw: Draw, size: LedgerSize): Promise<Ledger> {
    const contract = await anvil.deploy(abi, bytecode);
    await anvil.setAutomine(false);
    return new Ledger(anvil, contract, draw, size);
  }

  /** Changes of entities in the blocks of the current chain. */
  get changes(): number {
    return this.#blocks.reduce((sum, block) => sum + changesOf(block), 0);
  }

  /** Mines blocks until the chain has this many more changes. */
  async grow(changes: number): Promise<void> {
    const wanted = this.changes + changes;
    while (this.changes < wanted) {
      await this.#mine(Array.from({ length: this.#size.block }, () => this.#move()));
    }
  }

  /** Mines a block that `reorganise` reverts, with all later ones. */
  async doom(): Promise<Doomed> {
    const [made, changed, ended] = [this.#special++, this.#special++, this.#special++];
    const { after, doomed } = balances;
    await this.#mine([this.#move(changed, Number(after.changed)), this.#move(ended, Number(after.ended))]);
    this.#kept = { snapshot: await this.#anvil.snapshot(), blocks: this.#blocks.length };
    await this.#mine([
      this.#move(made, Number(doomed.made)),
      this.#move(changed, Number(doomed.changed)),
      this.#move(ended, 0),
    ]);
    return { made: addressOf(made), changed: addressOf(changed), ended: addressOf(ended) };
  }

  /**
   * Lets the chain continue differently from before the doomed block. Half of the moves of ordinary accounts happen again
   * in reverse order, like transactions that are mined in other blocks.
   */
  async reorganise(): Promise<void> {
    if (!this.#kept) throw new Error("no block was doomed");
    const { snapshot, blocks } = this.#kept;
    this.#kept = undefined;
    await this.#anvil.revert(snapshot);
    const lost = this.#blocks.splice(blocks);
    this.orphaned += lost.length;
    const again = lost
      .flat()
      .filter(({ account }) => account < this.#size.accounts && this.#draw.happens(0.5))
      .reverse();
    const size = this.#size.block;
    while (this.#blocks.length <= blocks + lost.length) {
      const moves = again.splice(0, size / 2);
      while (moves.length < size) moves.push(this.#move());
      await this.#mine(moves);
    }
  }

  /** The entities that follow from the current chain. */
  expected(): { readonly accounts: Rows; readonly moves: Rows } {
    const accounts = new Map<string, { id: string; balance: string; moves: number }>();
    const moves: { id: string; account: string; balance: string }[] = [];
    for (const { number, account, balance } of this.#blocks.flat()) {
      const id = addressOf(account);
      moves.push({ id: String(number), account: id, balance: String(balance) });
      if (balance === 0) accounts.delete(id);
      else accounts.set(id, { id, balance: String(balance), moves: (accounts.get(id)?.moves ?? 0) + 1 });
    }
    return { accounts: byId([...accounts.values()]), moves: byId(moves) };
  }

  /** The address of the contract; lower-case hex. */
  get address(): string {
    return this.#contract.address;
  }

  /** The subgraph that indexes the ledger. */
  files(network = "sepolia"): Promise<ReadonlyMap<string, string | Uint8Array>> {
    return writtenSubgraph({
      name: "Ledger",
      network,
      address: this.#contract.address,
      abi: JSON.stringify(abi),
      schema,
      entities: ["Account", "Move"],
      mapping: new URL("./ledger.as", import.meta.url),
      handlers: `eventHandlers: [{ event: "Moved(indexed address,uint256,uint256)", handler: handleMoved }]`,
    });
  }

  #move(account = this.#draw.below(this.#size.accounts), balance?: number): Move {
    const drawn = this.#draw.happens(0.15) ? 0 : 10 + this.#draw.below(2 ** 31);
    return { number: this.#numbers++, account, balance: balance ?? drawn };
  }

  async #mine(moves: readonly Move[]): Promise<void> {
    const words = moves.map(
      ({ number, account, balance }) =>
        (BigInt(account + 1) << 64n) | (BigInt(balance) << 32n) | BigInt(number),
    );
    await this.#anvil.submit(callOf(this.#contract, "move", [words]));
    await this.#anvil.mine(1);
    this.#blocks.push(moves);
    this.written += changesOf(moves);
  }
}

/** Sorts entities for comparison. */
export function byId(rows: Rows): Rows {
  return [...rows].sort((a, b) => (String(a.id) < String(b.id) ? -1 : 1));
}

/** Each account in a block counts as one change, and so does each move. */
function changesOf(block: readonly Move[]): number {
  return block.length + new Set(block.map(({ account }) => account)).size;
}

function addressOf(account: number): string {
  return `0x${(account + 1).toString(16).padStart(40, "0")}`;
}

const schema = `
type Account @entity(immutable: false) { id: ID!, balance: BigInt!, moves: Int! }
type Move @entity(immutable: true) { id: ID!, account: String!, balance: BigInt! }
`;
