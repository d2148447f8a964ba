import { AbiCoder, type Fragment, FunctionFragment } from "ethers/abi";
import type { Abi } from "../../subgraph/abi.js";
import type { StoreValue } from "../../subgraph/schema/entity.js";
import { type DataDecoder, dataDecoder } from "../abi/decode-data.js";
import { fieldAsArgument } from "../abi/field-as-argument.js";
import { toAbiValue } from "../abi/to-abi-value.js";
import { DeterministicError, RetriedError } from "../errors.js";
import type { ContractCall, EthereumValue } from "../values.js";

const coder = AbiCoder.defaultAbiCoder();

/** An encoded contract call, and the decoder of its answer. */
export interface EncodedCall {
  /** Lower-case hex. */
  readonly address: string;
  readonly data: string;
  /** Decodes an answer; `undefined` for malformed data, which counts as a revert. */
  decode(data: string): readonly EthereumValue[] | undefined;
}

/** The contracts that a data source may call: the ABIs of its manifest entry. */
export class Contracts {
  readonly #abis: ReadonlyMap<string, Abi>;
  readonly #functions = new Map<string, FunctionFragment>();

  /** @param abis by name */
  constructor(abis: ReadonlyMap<string, Abi>) {
    this.#abis = abis;
  }

  /**
   * Encodes a call by a mapping.
   * @throws DeterministicError when the ABI lacks the function or an argument does not match; RetriedError when the
   * number of arguments is wrong
   */
  encode({ contract, address, signature, args }: ContractCall): EncodedCall {
    return encodeCall(address, this.#bySignature(contract, signature), args);
  }

  /** Encodes a declared call to the first function with that name. @throws DeterministicError */
  encodeFirst(contract: string, address: string, name: string, args: readonly EthereumValue[]): EncodedCall {
    return encodeCall(address, this.#firstNamed(contract, name), args);
  }

  /** Encodes a declared call whose arguments are values of an entity's fields. @throws DeterministicError */
  encodeFields(contract: string, address: string, name: string, fields: readonly StoreValue[]): EncodedCall {
    const fn = this.#firstNamed(contract, name);
    const args = fields.map((field, index) => {
      const type = fn.inputs[index];
      if (!type) throw new DeterministicError(`${fn.format("sighash")} takes ${fn.inputs.length} arguments`);
      return fieldAsArgument(type, field);
    });
    return encodeCall(address, fn, args);
  }

  #firstNamed(contract: string, name: string): FunctionFragment {
    const found = this.#fragments(contract).find(
      (fragment) => FunctionFragment.isFragment(fragment) && fragment.name === name,
    );
    if (!FunctionFragment.isFragment(found)) throw unknown(contract, name);
    return found;
  }

  #bySignature(contract: string, signature: string): FunctionFragment {
    const key = `${contract} ${signature}`;
    const known = this.#functions.get(key);
    if (known) return known;
    const found = this.#fragments(contract).find(
      (fragment) => FunctionFragment.isFragment(fragment) && signatureOf(fragment) === signature,
    );
    if (!FunctionFragment.isFragment(found)) throw unknown(contract, signature);
    this.#functions.set(key, found);
    return found;
  }

  #fragments(name: string): readonly Fragment[] {
    const abi = this.#abis.get(name);
    if (abi) return abi.fragments;
    throw new DeterministicError(
      `Could not find ABI for contract "${name}", try adding it to the 'abis' section of the subgraph manifest`,
    );
  }
}

function encodeCall(address: string, fn: FunctionFragment, args: readonly EthereumValue[]): EncodedCall {
  const text = fn.format("sighash");
  if (args.length !== fn.inputs.length) {
    throw new RetriedError(`${text} takes ${fn.inputs.length} arguments but got ${args.length}`);
  }
  const values = fn.inputs.map((type, index) => toAbiValue(type, args[index] as EthereumValue));
  return {
    address: address.toLowerCase(),
    data: fn.selector + coder.encode(fn.inputs, values).slice("0x".length),
    decode: (data) => (data === "0x" ? undefined : decoderOf(fn)(data, "0x".length)),
  };
}

const decoders = new WeakMap<FunctionFragment, DataDecoder>();

function decoderOf(fn: FunctionFragment): DataDecoder {
  const known = decoders.get(fn) ?? dataDecoder(fn.outputs);
  decoders.set(fn, known);
  return known;
}

function unknown(contract: string, name: string): DeterministicError {
  return new DeterministicError(`Unknown function "${contract}::${name}" called from WASM runtime`);
}

/** `balanceOf(address):(uint256)` */
function signatureOf(fragment: FunctionFragment): string {
  const outputs = fragment.outputs.map((type) => type.format("sighash")).join(",");
  return fragment.format("sighash") + (outputs === "" ? "" : `:(${outputs})`);
}
