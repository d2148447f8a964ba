import type { ScriptProgram } from "./script-engine.js";
import { isInteger } from "./script-values.js";

/**
 * The code that a script is run with. It is evaluated before the script, so that it captures the functions that it
 * needs before the script can replace them. It removes the clock and random numbers.
 *
 * Its value is a function of the script's `invoke`. That gives `{ progress, run }`: `progress` holds the index of the
 * current row, in 32 bits; `run` takes rows as written by `givenText` and their number, and returns text for
 * `madeRows`. In that text, anything but a plain value is an object: `{ i: digits }` a BigInt, `{ b: hex }` bytes, `{
 * n: text }` a number that is not finite, `{ t: type }` something else, and `{ r: type }` something other than a row.
 */
export function sandboxCode({ input, output }: Pick<ScriptProgram, "input" | "output">): string {
  const members = input.map((column, index) => `[${JSON.stringify(column.name)}]: ${read(column, index)}`);
  const values = output.map(({ name }) => `value(made[${JSON.stringify(name)}])`);
  return `(() => {
  "use strict";
  const { parse, stringify } = JSON;
  const { isFinite } = Number;
  const { isArray } = Array;
  const toInteger = BigInt, toNumber = Number, toText = String, Bytes = Uint8Array, Later = Promise;
  const construct = Reflect.construct;
  const digits = [];
  for (let byte = 0; byte < 256; byte += 1) digits[byte] = (byte < 16 ? "0" : "") + byte.toString(16);

  const refuse = (what) => () => {
    throw new TypeError(what + " gives another result each time; use the columns of the row");
  };
  Math.random = refuse("Math.random()");
  const RealDate = Date;
  RealDate.now = refuse("Date.now()");
  const now = refuse("a date without arguments");
  const SafeDate = new Proxy(RealDate, {
    apply: now,
    construct: (target, given, made) => (given.length === 0 ? now() : construct(target, given, made)),
  });
  RealDate.prototype.constructor = SafeDate;
  globalThis.Date = SafeDate;
  delete globalThis.WeakRef;
  delete globalThis.FinalizationRegistry;
  delete globalThis.performance;
  Object.defineProperty(BigInt.prototype, "toJSON", {
    value: function () { return toText(this); }, configurable: true, writable: true,
  });

  const bytes = (list) => {
    let hex = "0x";
    for (let at = 0; at < list.length; at += 1) hex += digits[list[at]];
    return hex;
  };
  const value = (one) => {
    switch (typeof one) {
      case "string": return stringify(one);
      case "number": return isFinite(one) ? toText(one) : '{"n":"' + toText(one) + '"}';
      case "bigint": return '{"i":"' + toText(one) + '"}';
      case "boolean": return one ? "true" : "false";
      case "object":
        if (one === null) return "null";
        if (one instanceof Bytes) return '{"b":' + stringify(bytes(one)) + "}";
        return isArray(one) ? '{"t":"array"}' : '{"t":"object"}';
      default: return '{"t":"' + typeof one + '"}';
    }
  };
  const part = /"(?:[^"\\\\]|\\\\.)*"|-?\\d[\\d.eE+-]*/g;
  const large = /^-?\\d{16,}$/;
  // Numbers of JavaScript hold integers of up to 15 digits exactly, so larger ones become BigInt.
  const json = (text) => {
    try {
      if (!/\\d{16}/.test(text)) return parse(text);
      let mark = "#";
      while (text.includes('"' + mark)) mark += "#";
      const marked = text.replace(part, (one) => (large.test(one) ? '"' + mark + one + '"' : one));
      return parse(marked, (_, one) =>
        typeof one === "string" && one.startsWith(mark) ? toInteger(one.slice(mark.length)) : one);
    } catch {
      return text;
    }
  };
  const given = (columns, row) => ({ ${members.join(", ")} });
  const answer = (made) => {
    if (made === null) return "null";
    if (typeof made !== "object") return '{"r":"' + typeof made + '"}';
    if (isArray(made)) return '{"r":"array"}';
    if (made instanceof Later || typeof made.then === "function") return '{"r":"promise"}';
    return "[" + ${values.join(' + "," + ')} + "]";
  };
  // Taken before the script runs, which may replace constructors and what buffers are read with.
  const progress = new Int32Array(1);
  const counter = progress.buffer;
  return (invoke) => {
    const run = (text, count) => {
      const columns = parse(text);
      let made = "";
      for (let row = 0; row < count; row += 1) {
        progress[0] = row;
        made += (row === 0 ? "" : ",") + answer(invoke(given(columns, row)));
      }
      return "[" + made + "]";
    };
    return { __proto__: null, progress: counter, run };
  };
})()`;
}

/** Reads a column's value from the lists that `givenText` writes. */
function read(column: ScriptProgram["input"][number], index: number): string {
  const cell = `columns[${index}][row]`;
  if (isInteger(column)) return `${cell} === null ? null : toInteger(${cell})`;
  if (column.type === "JSON") return `${cell} === null ? null : json(${cell})`;
  return column.type === "DOUBLE" ? `typeof ${cell} === "string" ? toNumber(${cell}) : ${cell}` : cell;
}
