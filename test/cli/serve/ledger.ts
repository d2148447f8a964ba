import { type Anvil, type Contract, callOf } from "../../support/chain/anvil.js";
import { compileContract } from "../../support/chain/solidity.js";
import { writtenSubgraph } from "../../support/compiler/written-subgraph.js";
import type { Draw } from "../../support/pool/draw.js";

/** A balance that an account has from then on; without one, the account is gone. */
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

/** The rows of an entity by id, as they are queried. */
export type Rows = readonly Readonly<Record<string, unknown>>[];

/** What a block did that was taken back. */
export interface Doomed {
  /** The account that only it had. */
  readonly made: string;
  /** The one that had another balance before it. */
  readonly changed: string;
  /** The one that it ended. */
  readonly ended: string;
}

/** The balances of the accounts of a block that is taken back; nothing where there is no account. */
export type Balances = Record<keyof Doomed, unknown>;

/** As the block leaves them, and as they are without it. */
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

/** A chain whose blocks are made of moves, some of which are taken back. */
export class Ledger {
  readonly #anvil: Anvil;
  readonly #contract: Contract;
  readonly #draw: Draw;
  readonly #size: LedgerSize;
  /** Those of the chain as it is now. */
  readonly #blocks: (readonly Move[])[] = [];
  #numbers = 0;
  /** The next account that ordinary moves do not draw. */
  #special: number;
  /** Where the chain goes on from when it is reorganised. */
  #kept: { readonly snapshot: string; readonly blocks: number } | undefined;
  /** Changes of entities in all blocks, those that were taken back included. */
  written = 0;
  /** Blocks that were taken back. */
  orphaned = 0;

  private constructor(anvil: Anvil, contract: Contract, draw: Draw, size: LedgerSize) {
    this.#anvil = anvil;
    this.#contract = contract;
    this.#draw = draw;
    this.#size = size;
    this.#special = size.accounts;
  }

  /** Deploys the contract; from then on blocks are mined by the ledger alone. */
  static async start(anvil: Anvil, draw: Draw, size: LedgerSize): Promise<Ledger> {
    const contract = await anvil.deploy(abi, bytecode);
    await anvil.setAutomine(false);
    return new Ledger(anvil, contract, draw, size);
  }

  /** Changes of entities in the blocks of the chain as it is now. */
  get changes(): number {
    return this.#blocks.reduce((sum, block) => sum + changesOf(block), 0);
  }

  /** Mines blocks until the chain has so many changes more. */
  async grow(changes: number): Promise<void> {
    const wanted = this.changes + changes;
    while (this.changes < wanted) {
      await this.#mine(Array.from({ length: this.#size.block }, () => this.#move()));
    }
  }

  /** Mines a block that `reorganise` takes back, with all that come after it. */
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
   * Has the chain go on from before the doomed block in another way. Half of what happened to ordinary accounts happens
   * again in the opposite order, as transactions that come into other blocks do.
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

  /** The entities that follow from the chain as it is now. */
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

  /** The subgraph that keeps it. */
  files(): Promise<ReadonlyMap<string, string | Uint8Array>> {
    return writtenSubgraph({
      name: "Ledger",
      network: "sepolia",
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

/** Puts rows in the order in which they are compared. */
export function byId(rows: Rows): Rows {
  return [...rows].sort((a, b) => (String(a.id) < String(b.id) ? -1 : 1));
}

/** A block is a change of each account in it, and every move is one. */
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
