import type { BigDecimal } from "../../subgraph/schema/entity.js";
import { admitted } from "../numbers/big-decimal.js";
import { capped } from "../numbers/big-int.js";
import type { Heap } from "./heap.js";
import { TypeId } from "./type-id.js";

/** @throws DeterministicError when the number exceeds graph-node's limit */
export function readBigInt(heap: Heap, at: number): bigint {
  return capped(heap.readBigInt(at));
}

/** @throws DeterministicError when the exponent is out of range */
export function readBigDecimal(heap: Heap, at: number): BigDecimal {
  const digits = readBigInt(heap, heap.member(at, 0));
  return admitted(digits, readBigInt(heap, heap.member(at, 1)));
}

export function writeBigDecimal(heap: Heap, { digits, exponent }: BigDecimal): number {
  const members = [heap.bigInt(digits), heap.int(exponent)];
  return heap.struct(TypeId.BigDecimal, members);
}
