import {
  type Anvil,
  type Contract,
  callOf,
  type RawLog,
  type RawReceipt,
} from "../../support/chain/anvil.js";
import { logOf } from "./expected.js";

/** A contract that emits the given events. */
export const SOURCE = `
contract Bank {
  event Transfer(address indexed from, address indexed to, uint256 value);
  event Deposit(address indexed who, uint256 amount);
  event Withdraw(address indexed who, uint256 amount);
  event Audit(string note);
  event Close(bytes32 transaction, uint256 logIndex);
  event Extended(uint256 amount);
  event Child(uint256 amount);
  event Fields(address who, uint256 amount);
  event Split(uint256 count);
  uint256 public total;
  bool public shut;

  function fireTransfer(address to, uint256 value) external { emit Transfer(msg.sender, to, value); }
  function fireDeposit(address who, uint256 amount) public { total += amount; emit Deposit(who, amount); }
  function fireWithdraw(address who, uint256 amount) public { total -= amount; emit Withdraw(who, amount); }
  function move(address from, address to, uint256 amount) external {
    fireWithdraw(from, amount);
    fireDeposit(to, amount);
  }
  function shutDown(bool on) external { shut = on; }
  function fireAudit(string calldata note) external { emit Audit(note); }
  function fireClose(bytes32 transaction, uint256 logIndex) external { emit Close(transaction, logIndex); }
  function fireExtended(uint256 amount) external { emit Extended(amount); }
  function fireChild(uint256 amount) external { emit Child(amount); }
  function fireFields(address who, uint256 amount) external { emit Fields(who, amount); }
  function fireSplit(uint256 count) external { emit Split(count); }
  function left(address) external view returns (uint256) { require(!shut, "shut"); return total; }
}`;

const amount = "event.params.amount";
const account = (mapping: object): readonly object[] => [
  { id: "event.params.who.toHexString()", explicit_id: true, mapping },
];
/** Handlers for every kind of entity. */
export const HANDLERS = {
  Transfer: {
    entities: {
      EnrichmentBalance: { "value uint256": "event.params.value", "parent string": "entity.id" },
      Side: [
        { id: '"out"', mapping: { "who address": "event.params.from.toHexString()" } },
        {
          id: '"in-" + event.params.value.toString()',
          mapping: { "who address": "event.params.to.toHexString()" },
        },
      ],
    },
  },
  Deposit: {
    entities: {
      Account: account({ "deposited uint256": amount, "last string": '"deposit"' }),
      Movement: { "amount uint256": amount, "isDeposit bool": "true" },
    },
  },
  Withdraw: {
    calls: { left: { name: "left", params: "event.params.who" } },
    entities: {
      Account: account({
        "withdrawn uint256": amount,
        "last string": '"withdraw"',
        "left uint256": "calls.left",
      }),
      Movement: { "amount uint256": amount, "left uint256": "calls.left" },
    },
  },
  Audit: {
    calls: { total: { name: "total", required: true } },
    entities: {
      Deposit: [{ id: '"copy"', mapping: { "amount uint256": "calls.total" } }],
      Withdraw: { "who address": "event.address.toHexString()" },
    },
  },
  Close: {
    entities: {
      Transfer: [
        {
          id: 'event.params.transaction.toHexString() + "-" + event.params.logIndex.toString()',
          explicit_id: true,
          mapping: { "closed bool": "true" },
        },
      ],
    },
  },
  Extended: {
    entities: {
      Extended: {
        "double uint256": `${amount}.times(BigInt.fromI32(2))`,
        "amount uint256": `${amount} + BigInt.fromI32(1)`,
      },
    },
  },
  Child: {
    entities: {
      Child: [{ id: '"extra"', mapping: { "amount uint256": "entity.amount.plus(BigInt.fromI32(1))" } }],
    },
  },
  Fields: {
    entities: {
      Kinds: {
        "id string": '"not the id"',
        "who address": "event.params.who.toHexString()",
        "raw bytes": "event.params.who",
        "word bytes32": "event.block.hash",
        "flag bool": "event.params.amount.isZero()",
        "small uint24": "event.params.amount.toI32()",
        "signed int32": "-event.params.amount.toI32()",
        "wide uint32": amount,
        "share fixed": `${amount}.toBigDecimal() / BigDecimal.fromString("4")`,
        "who2 address[]": "[event.params.who.toHexString()]",
        "list uint256[]": `[${amount}, BigInt.zero()]`,
        "none string[]": "[]",
        "hash bytes32[]": "[event.transaction.hash]",
        "gas uint256": "event.transaction.gasLimit",
        "text string": `${amount} > BigInt.fromI32(5) ? "many" : "few"`,
      },
    },
  },
};

/** The transactions of the bank, in this order. */
export interface Sent {
  /** Accounts. */
  readonly ann: string;
  readonly bob: string;
  readonly cid: string;
  readonly transfer: RawLog;
  /** A transfer without references to it. */
  readonly untouched: RawLog;
  /** Ann's first deposit. */
  readonly deposit: RawLog;
  readonly withdrawal: RawLog;
  /** One transaction that takes from Ann and gives to Bob. */
  readonly move: RawReceipt;
  /** One block with Cid's deposit and withdrawal. */
  readonly sameBlock: readonly RawReceipt[];
  /** Ann's last withdrawal, when the bank's calls revert. */
  readonly shutWithdrawal: RawLog;
  readonly audit: RawLog;
  /** Closes the first transfer, and one that does not exist. */
  readonly close: RawLog;
  readonly closeOfNone: RawLog;
  readonly extended: RawLog;
  readonly child: RawLog;
  readonly fields: RawLog;
}

/** Emits every event that has a handler. */
export async function useBank(anvil: Anvil, bank: Contract): Promise<Sent> {
  const [ann, bob, cid] = [anvil.account(1), anvil.account(2), anvil.account(3)];
  const fire = async (name: string, args: readonly unknown[]): Promise<RawLog> =>
    logOf(await anvil.send(bank, `fire${name}`, args));
  const transfer = await fire("Transfer", [ann, 5n]);
  const untouched = await fire("Transfer", [bob, 6n]);
  const deposit = await fire("Deposit", [ann, 50n]);
  const withdrawal = await fire("Withdraw", [ann, 20n]);
  const move = await anvil.send(bank, "move", [ann, bob, 7n]);
  const sameBlock = await anvil.inOneBlock([
    callOf(bank, "fireDeposit", [cid, 5n]),
    callOf(bank, "fireWithdraw", [cid, 2n]),
  ]);
  await anvil.send(bank, "shutDown", [true]);
  const shutWithdrawal = await fire("Withdraw", [ann, 1n]);
  const audit = await fire("Audit", ["of all"]);
  const close = await fire("Close", [transfer.transactionHash, Number(transfer.logIndex)]);
  const closeOfNone = await fire("Close", [transfer.transactionHash, 99]);
  const extended = await fire("Extended", [5n]);
  const child = await fire("Child", [8n]);
  const fields = await fire("Fields", [ann, 10n]);
  const accounts = { ann, bob, cid };
  const moves = { transfer, untouched, deposit, withdrawal, move, sameBlock, shutWithdrawal };
  return { ...accounts, ...moves, audit, close, closeOfNone, extended, child, fields };
}
