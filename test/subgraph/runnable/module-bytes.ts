const text = (word: string): readonly number[] => [word.length, ...Buffer.from(word)];
const section = (id: number, entries: readonly (readonly number[])[]): readonly number[] => {
  const content = entries.flat();
  return [id, ...leb(content.length + leb(entries.length).length), ...leb(entries.length), ...content];
};

/** An unsigned number in WASM. */
function leb(value: number): readonly number[] {
  return value < 128 ? [value] : [(value % 128) + 128, ...leb(Math.floor(value / 128))];
}

/** The interface of a module: functions that it imports from one module, and functions that it exports. */
export function moduleBytes(imports: readonly string[], exports: readonly string[]): Uint8Array {
  return Uint8Array.from([
    0,
    0x61,
    0x73,
    0x6d,
    1,
    0,
    0,
    0,
    ...section(
      2,
      imports.map((name) => [...text("index"), ...text(name), 0, 0]),
    ),
    ...section(
      7,
      exports.map((name, index) => [...text(name), 0, index]),
    ),
  ]);
}
