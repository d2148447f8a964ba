import { dataLength, getBytes, hexlify, keccak256, toUtf8String } from "ethers";
import { type BigDecimal, decimalText, divided, normalized, parseDecimal, sum } from "./decimal.js";
import {
  decodeValue,
  type EthereumValue,
  encodeValue,
  readEthereumValue,
  writeEthereumValue,
  writeEthereumValues,
} from "./ethereum-values.js";
import { readRow, writeRow } from "./rows.js";
import { type HostFunction, type ShadowMemory, TypeId } from "./shadow-memory.js";
import type { ShadowStore } from "./shadow-store.js";

/** A contract call as the mapping requests it, unchecked. */
export interface AskedCall {
  readonly contract: string;
  readonly address: string;
  readonly name: string;
  readonly signature: string;
  readonly args: readonly EthereumValue[];
}

/** The environment of the host functions outside of the memory. */
export interface World {
  readonly store: ShadowStore;
  readonly address: string;
  readonly network: string;
  /** The result, or undefined when the call reverts. */
  call(asked: AskedCall): readonly EthereumValue[] | undefined;
  createDataSource(template: string, parameters: readonly string[]): void;
  log(level: number, message: string): void;
}

/** graph-node's host functions for API version 0.0.9, by field name; unused ones are omitted. */
export function hostFunctions(memory: ShadowMemory, world: World): Readonly<Record<string, HostFunction>> {
  return {
    abort: (message = 0, file = 0, line, column) => {
      const said = message === 0 ? "no message" : memory.readString(message);
      const where = file === 0 ? "?" : memory.readString(file);
      throw new Error(`Mapping aborted at ${where}, line ${line}, column ${column}, with message: ${said}`);
    },
    "log.log": (level = 0, message = 0) => world.log(level, memory.readString(message)),
    "dataSource.create": (template = 0, parameters = 0) => {
      const texts = memory.readArray(parameters).map((text) => memory.readString(text));
      world.createDataSource(memory.readString(template), texts);
    },
    "dataSource.address": () => memory.bytes(getBytes(world.address)),
    "dataSource.network": () => memory.string(world.network),
    "crypto.keccak256": (data = 0) => memory.bytes(getBytes(keccak256(memory.readBytes(data)))),
    ...storeFunctions(memory, world.store),
    ...ethereumFunctions(memory, world),
    ...conversions(memory),
    ...bigIntFunctions(memory),
    ...bigDecimalFunctions(memory),
  };
}

function storeFunctions(memory: ShadowMemory, store: ShadowStore): Record<string, HostFunction> {
  const text = (at = 0): string => memory.readString(at);
  return {
    "store.get": (entity, id) => writeRow(memory, store.get(text(entity), text(id))),
    "store.get_in_block": (entity, id) => writeRow(memory, store.getInBlock(text(entity), text(id))),
    "store.loadRelated": (entity, id, field) => {
      const rows = store.related(text(entity), text(id), text(field));
      return memory.array(
        TypeId.ArrayMap,
        rows.map((row) => writeRow(memory, row)),
      );
    },
    "store.set": (entity, id, data = 0) => store.set(text(entity), text(id), readRow(memory, data)),
    "store.remove": (entity, id) => store.remove(text(entity), text(id)),
  };
}

function ethereumFunctions(memory: ShadowMemory, world: World): Record<string, HostFunction> {
  return {
    "ethereum.call": (call = 0) => {
      const [contract = 0, address = 0, name = 0, signature = 0, args = 0] = memory.members(call, 5);
      const result = world.call({
        contract: memory.readString(contract),
        address: hexlify(memory.readBytes(address)),
        name: memory.readString(name),
        signature: memory.readString(signature),
        args: memory.readArray(args).map((argument) => readEthereumValue(memory, argument)),
      });
      return result ? writeEthereumValues(memory, result) : 0;
    },
    "ethereum.encode": (value = 0) => memory.bytes(getBytes(encodeValue(readEthereumValue(memory, value)))),
    "ethereum.decode": (types = 0, data = 0) => {
      const value = decodeValue(memory.readString(types), hexlify(memory.readBytes(data)));
      return value ? writeEthereumValue(memory, value) : 0;
    },
  };
}

function conversions(memory: ShadowMemory): Record<string, HostFunction> {
  return {
    "typeConversion.bytesToHex": (at = 0) => memory.string(hexlify(memory.readBytes(at))),
    "typeConversion.bytesToString": (at = 0) =>
      memory.string(toUtf8String(memory.readBytes(at)).replace(/\0+$/, "")),
    "typeConversion.bigIntToString": (at = 0) => memory.string(String(memory.readBigInt(at))),
    "typeConversion.bigIntToHex": (at = 0) => {
      const value = memory.readBigInt(at);
      return memory.string(`0x${(value < 0n ? -value : value).toString(16)}`);
    },
    "typeConversion.stringToH160": (at = 0) => {
      const hex = `0x${memory.readString(at).replace(/^0x/, "")}`;
      if (dataLength(hex) !== 20) throw new Error(`${hex} is not an address`);
      return memory.bytes(getBytes(hex));
    },
  };
}

function bigIntFunctions(memory: ShadowMemory): Record<string, HostFunction> {
  const binary =
    (operation: (x: bigint, y: bigint) => bigint): HostFunction =>
    (x = 0, y = 0) =>
      memory.bigInt(operation(memory.readBigInt(x), memory.readBigInt(y)));
  const withNumber =
    (operation: (x: bigint, y: bigint) => bigint): HostFunction =>
    (x = 0, y = 0) =>
      memory.bigInt(operation(memory.readBigInt(x), BigInt(y & 255)));
  return {
    "bigInt.plus": binary((x, y) => x + y),
    "bigInt.minus": binary((x, y) => x - y),
    "bigInt.times": binary((x, y) => x * y),
    "bigInt.dividedBy": binary((x, y) => x / y),
    "bigInt.mod": binary((x, y) => x % y),
    "bigInt.bitOr": binary((x, y) => x | y),
    "bigInt.bitAnd": binary((x, y) => x & y),
    "bigInt.pow": withNumber((x, y) => x ** y),
    "bigInt.leftShift": withNumber((x, y) => x << y),
    "bigInt.rightShift": withNumber((x, y) => x >> y),
    "bigInt.fromString": (at = 0) => memory.bigInt(BigInt(memory.readString(at))),
    "bigInt.dividedByDecimal": (x = 0, y = 0) =>
      writeDecimal(memory, divided(normalized(memory.readBigInt(x), 0), readDecimal(memory, y))),
  };
}

function bigDecimalFunctions(memory: ShadowMemory): Record<string, HostFunction> {
  const binary =
    (operation: (x: BigDecimal, y: BigDecimal) => BigDecimal): HostFunction =>
    (x = 0, y = 0) =>
      writeDecimal(memory, operation(readDecimal(memory, x), readDecimal(memory, y)));
  const negated = ({ digits, exponent }: BigDecimal): BigDecimal => ({ digits: -digits, exponent });
  return {
    "bigDecimal.plus": binary(sum),
    "bigDecimal.minus": binary((x, y) => sum(x, negated(y))),
    "bigDecimal.times": binary((x, y) => normalized(x.digits * y.digits, x.exponent + y.exponent)),
    "bigDecimal.dividedBy": binary(divided),
    "bigDecimal.equals": (x = 0, y = 0) =>
      sum(readDecimal(memory, x), negated(readDecimal(memory, y))).digits === 0n ? 1 : 0,
    "bigDecimal.toString": (at = 0) => memory.string(decimalText(readDecimal(memory, at))),
    "bigDecimal.fromString": (at = 0) => writeDecimal(memory, parseDecimal(memory.readString(at))),
  };
}

function readDecimal(memory: ShadowMemory, at: number): BigDecimal {
  const [digits = 0, exponent = 0] = memory.members(at, 2);
  return normalized(memory.readBigInt(digits), Number(memory.readBigInt(exponent)));
}

function writeDecimal(memory: ShadowMemory, { digits, exponent }: BigDecimal): number {
  return memory.struct(TypeId.BigDecimal, [memory.bigInt(digits), memory.bigInt(BigInt(exponent))]);
}
