const section = { import: 2, global: 6, export: 7, code: 10 };
const op = { block: 2, loop: 3, if: 4, else: 5, end: 11, br: 12, brIf: 13, brTable: 14, return: 15 };
/** After these another straight line of code begins. */
const lineEnds = new Set([0, op.loop, op.if, op.else, op.end, op.br, op.brIf, op.brTable, op.return]);
/** Structure only: nothing is executed. */
const structure = new Set([op.block, op.loop, op.else, op.end]);

/**
 * Makes a module count the instructions it executes, in a new global it exports as `executed`.
 * @throws Error for an instruction that the first version of WebAssembly does not have
 */
export function countInstructions(wasm) {
  const sections = sectionsOf(wasm);
  const find = (wanted) => sections.find(({ id }) => id === wanted);
  const globals = find(section.global);
  const [declared, declarations] = counted(globals.content);
  const counter = importedGlobals(find(section.import).content) + declared;
  // A mutable i64 that begins at zero.
  globals.content = joined([leb(declared + 1), declarations, [0x7e, 1, 0x42, 0, op.end]]);
  const exported = find(section.export);
  const [exports, entries] = counted(exported.content);
  const name = new TextEncoder().encode("executed");
  exported.content = joined([leb(exports + 1), entries, leb(name.length), name, [3], leb(counter)]);
  const code = find(section.code);
  const reader = new Reader(code.content);
  const bodies = Array.from({ length: reader.number() }, () =>
    counting(reader.take(reader.number()), counter),
  );
  code.content = joined([leb(bodies.length), ...bodies.flatMap((body) => [leb(body.length), body])]);
  const written = sections.flatMap(({ id, content }) => [[id], leb(content.length), content]);
  return joined([wasm.subarray(0, 8), ...written]);
}

function sectionsOf(wasm) {
  const reader = new Reader(wasm, 8);
  const sections = [];
  while (reader.at < wasm.length) {
    const id = reader.byte();
    sections.push({ id, content: reader.take(reader.number()) });
  }
  return sections;
}

function importedGlobals(imports) {
  const reader = new Reader(imports);
  let globals = 0;
  for (let left = reader.number(); left > 0; left--) {
    reader.take(reader.number());
    reader.take(reader.number());
    const kind = reader.byte();
    if (kind !== 0 && kind !== 3) throw new Error("a mapping imports functions and globals only");
    if (kind === 0) reader.number();
    else reader.take(2);
    globals += kind === 3 ? 1 : 0;
  }
  return globals;
}

/** The body of a function with an addition to the counter before every straight line of code. */
function counting(body, counter) {
  const reader = new Reader(body);
  for (let left = reader.number(); left > 0; left--) {
    reader.number();
    reader.byte();
  }
  const parts = [body.subarray(0, reader.at)];
  while (reader.at < body.length) {
    const start = reader.at;
    let instructions = 0;
    let instruction;
    do {
      instruction = reader.byte();
      if (!structure.has(instruction)) instructions++;
      skipOperands(reader, instruction);
    } while (!lineEnds.has(instruction));
    const add = [0x23, ...leb(counter), 0x42, ...signedLeb(instructions), 0x7c, 0x24, ...leb(counter)];
    if (instructions > 0) parts.push(add);
    parts.push(body.subarray(start, reader.at));
  }
  return joined(parts);
}

function skipOperands(reader, instruction) {
  const between = (first, last) => instruction >= first && instruction <= last;
  if (between(op.block, op.if) || between(0x3f, 0x40)) reader.byte();
  else if (between(op.br, op.brIf) || instruction === 0x10 || between(0x20, 0x24)) reader.number();
  else if (instruction === op.brTable) for (let left = reader.number(); left >= 0; left--) reader.number();
  else if (instruction === 0x11 || between(0x28, 0x3e)) [reader.number(), reader.number()];
  else if (between(0x41, 0x42)) while (reader.byte() >= 128);
  else if (between(0x43, 0x44)) reader.take(instruction === 0x43 ? 4 : 8);
  else if (
    !(
      between(0, 1) ||
      between(op.else, op.end) ||
      between(15, 15) ||
      between(0x1a, 0x1b) ||
      between(0x45, 0xbf)
    )
  )
    throw new Error(`instruction 0x${instruction.toString(16)} came after the first version of WebAssembly`);
}

class Reader {
  constructor(bytes, at = 0) {
    this.bytes = bytes;
    this.at = at;
  }

  byte() {
    if (this.at >= this.bytes.length) throw new Error("the module ends in the middle of a section");
    return this.bytes[this.at++];
  }

  number() {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = this.byte();
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  }

  take(length) {
    this.at += length;
    return this.bytes.subarray(this.at - length, this.at);
  }
}

/** The count in front of a section's content, and the rest. */
function counted(content) {
  const reader = new Reader(content);
  const count = reader.number();
  return [count, content.subarray(reader.at)];
}

function leb(value) {
  const bytes = [];
  let rest = value;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  return [...bytes, rest];
}

function signedLeb(value) {
  const bytes = [];
  let rest = value;
  for (; rest >= 64; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  return [...bytes, rest];
}

function joined(parts) {
  return new Uint8Array(Buffer.concat(parts.map((part) => Buffer.from(part))));
}
