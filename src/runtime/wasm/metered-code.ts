import { BinaryReader, encodedConstant, encodedNumber } from "./binary.js";

/** Indexes that metering needs. */
export interface Meter {
  /** Index of the global that counts the remaining steps. */
  readonly steps: number;
  /** Functions with an index below this one are imported. */
  readonly hostFunctions: number;
  /** Index of the function that replaces `memory.grow`. */
  readonly grow: number;
  /** Index of the function that charges for an instruction that moves many bytes, and returns their number. */
  readonly bulk: number;
}

/** Steps charged for a call of a host function. */
const stepsOfHostCall = 100;
/** Steps charged for `memory.grow`, even when it is refused, because the engine creates a new buffer. */
const stepsOfGrow = 1000;
/** The bytes, or table entries, that one instruction moves for one step, as a power of two. */
const movedByStep = 4;

const op = {
  unreachable: 0x00,
  block: 0x02,
  loop: 0x03,
  if: 0x04,
  end: 0x0b,
  br: 0x0c,
  brIf: 0x0d,
  brTable: 0x0e,
  call: 0x10,
  callIndirect: 0x11,
  typedSelect: 0x1c,
  localGet: 0x20,
  localTee: 0x22,
  globalGet: 0x23,
  globalSet: 0x24,
  tableSet: 0x26,
  firstAccess: 0x28,
  lastAccess: 0x3e,
  memorySize: 0x3f,
  memoryGrow: 0x40,
  i32Const: 0x41,
  i64Const: 0x42,
  f32Const: 0x43,
  f64Const: 0x44,
  i32Eq: 0x46,
  i32LtS: 0x48,
  i32Sub: 0x6b,
  i32ShrU: 0x76,
  lastPlain: 0xc4,
  refNull: 0xd0,
  refFunc: 0xd2,
  extended: 0xfc,
} as const;
/** Opcodes after the prefix 0xfc. From `first` on, they concern memory, segments and tables. */
const extendedOp = { first: 8, memoryCopy: 10, memoryFill: 11 } as const;
/** Those whose duration depends on their last operand: first those of memory, then those of tables. */
const bulkOps = new Set([8, 10, 11, 12, 14, 15, 17]);
const noResult = 0x40;

/** Opcodes within the known range that do not exist or that graph-node does not support. */
const unknown = new Set([
  0x06, 0x07, 0x08, 0x09, 0x0a, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18, 0x19, 0x1d, 0x1e, 0x1f, 0x27,
]);
/** Number of immediates of an opcode; opcodes that are not listed have none. */
const operands = new Map<number, number>([
  ...[op.block, op.loop, op.if, op.br, op.brIf, op.call, op.refNull, op.refFunc].map(
    (one) => [one, 1] as const,
  ),
  ...[op.memorySize, op.memoryGrow, op.i32Const, op.i64Const].map((one) => [one, 1] as const),
  ...range(op.localGet, op.tableSet).map((one) => [one, 1] as const),
  ...range(op.firstAccess, op.lastAccess).map((one) => [one, 2] as const),
  [op.callIndirect, 2],
]);
/** The same for the opcodes after the prefix 0xfc. */
const extendedOperands = [0, 0, 0, 0, 0, 0, 0, 0, 2, 1, 2, 1, 2, 1, 2, 1, 1, 1];

function range(first: number, last: number): readonly number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

/** What code changes besides its memory. */
export interface Changed {
  /** Indexes of the globals that it sets. */
  readonly globals: ReadonlySet<number>;
  /** Whether it changes tables, or drops segments that fill tables or the memory. */
  readonly tables: boolean;
}

/** Code that counts its steps. */
export interface MeteredCode {
  readonly code: Uint8Array;
  /** What the original code changes. */
  readonly changed: Changed;
}

/**
 * Instruments the code section of a module to count steps: function calls and loop iterations, and more for host
 * functions. The code traps when no steps are left.
 * @throws Error for an instruction that graph-node does not support
 */
export function meteredCode(code: Uint8Array, meter: Meter): MeteredCode {
  const reader = new BinaryReader(code);
  const changed = { globals: new Set<number>(), tables: false };
  const count = reader.number();
  const parts = [encodedNumber(count)];
  const snippets = snippetsOf(meter);
  for (let index = 0; index < count; index++) {
    const body = meteredBody(reader.take(reader.number()), meter, snippets, changed);
    parts.push(encodedNumber(body.length), body);
  }
  return { code: Buffer.concat(parts), changed };
}

interface Snippets {
  readonly step: Uint8Array;
  readonly hostCall: Uint8Array;
  readonly grow: Uint8Array;
  readonly bulk: Uint8Array;
}

function snippetsOf({ steps, grow, bulk }: Meter): Snippets {
  return {
    step: Uint8Array.from([...spend(steps, constant(1)), ...check(steps)]),
    hostCall: Uint8Array.from(spend(steps, constant(stepsOfHostCall))),
    grow: Uint8Array.from([op.call, ...encodedNumber(grow)]),
    bulk: Uint8Array.from([op.call, ...encodedNumber(bulk)]),
  };
}

function constant(value: number): readonly number[] {
  return [op.i32Const, ...encodedConstant(value)];
}

/** @param cost instructions that leave a number of steps */
function spend(steps: number, cost: readonly number[]): readonly number[] {
  return [op.globalGet, ...encodedNumber(steps), ...cost, op.i32Sub, op.globalSet, ...encodedNumber(steps)];
}

/** Traps when no steps are left. */
function check(steps: number): readonly number[] {
  return [
    op.globalGet,
    ...encodedNumber(steps),
    ...constant(0),
    op.i32LtS,
    op.if,
    noResult,
    op.unreachable,
    op.end,
  ];
}

function meteredBody(
  body: Uint8Array,
  { hostFunctions }: Meter,
  { step, hostCall, grow, bulk }: Snippets,
  changed: { globals: Set<number>; tables: boolean },
): Uint8Array {
  const reader = new BinaryReader(body);
  skipLocals(reader);
  const parts = [body.subarray(0, reader.at), step];
  let copied = reader.at;
  /** Inserts a snippet into the body at an offset, and continues copying after another offset. */
  const put = (snippet: Uint8Array, before: number, behind = before): void => {
    parts.push(body.subarray(copied, before), snippet);
    copied = behind;
  };
  while (reader.at < body.length) {
    const start = reader.at;
    const opcode = reader.byte();
    if (opcode === op.call) {
      if (reader.number() < hostFunctions) put(hostCall, start);
      continue;
    }
    if (opcode === op.globalSet) {
      changed.globals.add(reader.number());
      continue;
    }
    const further = opcode === op.extended ? new BinaryReader(body, reader.at).number() : undefined;
    changed.tables ||= changesTables(opcode, further);
    skipOperands(reader, opcode);
    if (opcode === op.loop) put(step, reader.at);
    else if (opcode === op.memoryGrow) put(grow, start, reader.at);
    else if (further !== undefined && bulkOps.has(further)) put(bulk, start);
  }
  parts.push(body.subarray(copied));
  return Buffer.concat(parts);
}

/** @param further the opcode after the prefix 0xfc */
function changesTables(opcode: number, further: number | undefined): boolean {
  if (opcode === op.tableSet) return true;
  const { first, memoryCopy, memoryFill } = extendedOp;
  return further !== undefined && further >= first && further !== memoryCopy && further !== memoryFill;
}

function skipLocals(reader: BinaryReader): void {
  for (let groups = reader.number(); groups > 0; groups--) {
    reader.number();
    reader.byte();
  }
}

function skipOperands(reader: BinaryReader, opcode: number): void {
  const numbers = operands.get(opcode);
  if (numbers !== undefined) skipNumbers(reader, numbers);
  else if (opcode === op.brTable) skipNumbers(reader, reader.number() + 1);
  else if (opcode === op.typedSelect) reader.take(reader.number());
  else if (opcode === op.f32Const) reader.take(4);
  else if (opcode === op.f64Const) reader.take(8);
  else if (opcode === op.extended) skipNumbers(reader, extendedCount(reader.number()));
  else if (unknown.has(opcode) || (opcode > op.lastPlain && opcode !== op.refNull + 1)) throw untaken(opcode);
}

function skipNumbers(reader: BinaryReader, count: number): void {
  for (let left = count; left > 0; left--) reader.number();
}

function extendedCount(opcode: number): number {
  const count = extendedOperands[opcode];
  if (count === undefined) throw untaken(op.extended);
  return count;
}

function untaken(opcode: number): Error {
  return new Error(
    `the module has an instruction that graph-node does not support, 0x${opcode.toString(16)}`,
  );
}

/**
 * The body, with its length, of the function that replaces `memory.grow`. It charges steps, grows the memory, and
 * records in a global whether that was refused.
 */
export function growBody({
  steps,
  refused,
}: {
  readonly steps: number;
  readonly refused: number;
}): Uint8Array {
  return bodyOf([
    ...spend(steps, constant(stepsOfGrow)),
    ...check(steps),
    op.localGet,
    0,
    op.memoryGrow,
    0,
    op.localTee,
    0,
    op.i32Const,
    0x7f,
    op.i32Eq,
    op.globalSet,
    ...encodedNumber(refused),
    op.localGet,
    0,
  ]);
}

/** The body, with its length, of the function that charges for moving many bytes: it takes and returns their number. */
export function bulkBody(steps: number): Uint8Array {
  const cost = [op.localGet, 0, ...constant(movedByStep), op.i32ShrU];
  return bodyOf([...spend(steps, cost), ...check(steps), op.localGet, 0]);
}

function bodyOf(instructions: readonly number[]): Uint8Array {
  const body = [0, ...instructions, op.end];
  return Buffer.concat([encodedNumber(body.length), Uint8Array.from(body)]);
}
