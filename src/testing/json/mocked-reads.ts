import type { BlockPointer } from "../../runtime/chain/chain.js";
import { DeterministicError } from "../../runtime/errors.js";
import type { BlockReads } from "../../runtime/indexer/triggers/block-calls.js";
import { encodeCall } from "./encode-signature.js";
import { JsonTestError, type MockedBlock } from "./json-test.js";
import { readAddress } from "./read-value.js";

/** The answers that a test gives to the reads of handlers. */
export class MockedReads {
  readonly #blocks: ReadonlyMap<string, Mocks>;

  /** @param mocked the mocks by block hash; later ones take precedence @throws JsonTestError */
  constructor(mocked: Iterable<readonly [string, MockedBlock]>) {
    const blocks = new Map<string, Mocks>();
    for (const [hash, block] of mocked) blocks.set(hash, mocksOf(block));
    this.#blocks = blocks;
  }

  /** The reads of the handlers of a block. A read that is not mocked fails its handler. */
  of({ number, hash }: BlockPointer): BlockReads {
    const mocks = this.#blocks.get(hash);
    const known = <T>(found: T | undefined, what: string, list: string): T => {
      if (found !== undefined) return found;
      throw new DeterministicError(
        `${what} is not mocked. Add it to "${list}" of block ${number} in the test.`,
      );
    };
    return {
      asked: 0,
      answer: ({ address, data }) => {
        const what = `The call of ${address} with the data ${shortened(data)}`;
        const returned = known(mocks?.calls.get(`${address} ${data}`), what, "ethCalls");
        return returned === null ? { kind: "reverted" } : { kind: "returned", data: returned };
      },
      balance: (address) =>
        known(mocks?.balances.get(address), `The balance of ${address}`, "getBalanceCalls"),
      hasCode: (address) => known(mocks?.codes.get(address), `The code at ${address}`, "hasCodeCalls"),
      want: () => undefined,
      fetchWanted: async () => undefined,
      readAhead: async () => undefined,
    };
  }
}

/** The answers in one block, by address. A call that reverts has `null`. */
interface Mocks {
  readonly calls: ReadonlyMap<string, string | null>;
  readonly balances: ReadonlyMap<string, bigint>;
  readonly codes: ReadonlyMap<string, boolean>;
}

function mocksOf({ ethCalls, getBalanceCalls, hasCodeCalls }: MockedBlock): Mocks {
  return {
    calls: new Map(
      ethCalls.map((call) => {
        const { data, returned = null } = encodeCall(call);
        return [`${readAddress(call.address, `The address of ${call.function}`)} ${data}`, returned];
      }),
    ),
    balances: new Map(
      getBalanceCalls.map(({ address, value }) => [
        readAddress(address, "The address of a balance"),
        balanceIn(value, address),
      ]),
    ),
    codes: new Map(
      hasCodeCalls.map(({ address, hasCode }) => [readAddress(address, "The address of a code"), hasCode]),
    ),
  };
}

function balanceIn(value: string, address: string): bigint {
  const read = /^(?:\d{1,78}|0x[0-9a-fA-F]{1,64})$/.test(value) ? BigInt(value) : undefined;
  if (read !== undefined && read < 2n ** 256n) return read;
  throw new JsonTestError(`The balance of ${address} must be a whole number of wei, in quotes.`);
}

function shortened(data: string): string {
  return data.length > 210 ? `${data.slice(0, 210)}…` : data;
}
