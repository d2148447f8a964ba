import { describe, expect, test } from "vitest";
import { compileMapping } from "../../../src/runtime/wasm/compile-mapping.js";
import { TrapError } from "../../../src/runtime/wasm/failures.js";
import { asc } from "../../support/compiler/asc.js";
import { assemble, eventOf, testWorld } from "./probe.js";

const imports = `
  import { BigDecimal, dataSource, ethereum, log } from "@graphprotocol/graph-ts";
`;

/** Whatever a module can remember, and handlers that change all of it. */
const remembering = `
  ${imports}
  let count: i32 = 3;
  let long: i64 = i64.MAX_VALUE - 1;
  let half: f32 = 0.5;
  let double: f64 = 0.1;
  let half0: f64 = -0.0;
  const list: i32[] = [1, 2, 3];
  const words = new Map<string, string>();
  let decimal = BigDecimal.fromString("0.25");
  let text = "begins";

  /** Nothing of an earlier run lies where nothing was yet. */
  function found(): i32 {
    const at = heap.alloc(40_000);
    let sum = 0;
    for (let i = 0; i < 40_000; i++) sum += load<u8>(at + i);
    memory.fill(at, 1, 40_000);
    return sum;
  }

  function tell(): void {
    log.info("{} {} {} {} {} {} {} {} {} {}", [
      count.toString(), long.toString(), half.toString(), double.toString(), (1.0 / half0).toString(),
      list.join(), words.size.toString(), decimal.toString(), text, found().toString(),
    ]);
  }

  export function change(event: ethereum.Event): void {
    tell();
    count++;
    long++;
    half *= 2;
    double = NaN;
    half0 = 1;
    list[1] = 20;
    list.push(4);
    words.set("a", "b".repeat(30_000));
    decimal = decimal.times(decimal);
    text += "!";
    tell();
  }

  export function changeAndTrap(event: ethereum.Event): void {
    change(event);
    unreachable();
  }
`;

const fresh = "3 9223372036854775806 0.5 0.1 -Infinity 1,2,3 0 0.25 begins 0";

describe("the initial state of a run", () => {
  test("INV-R1: a run starts from the initial state, after any earlier runs", async () => {
    const mapping = compileMapping(await assemble(remembering, asc));
    for (let times = 0; times < 3; times++) {
      const world = testWorld();
      mapping.run("change", eventOf(), world);
      expect(world.said[0]).toBe(fresh);
      expect(world.said[1]).toMatch(/^4 9223372036854775807 1\.0 NaN 1\.0 1,20,3,4 1 0\.0625 begins! 0$/);
      const trapped = testWorld();
      expect(() => mapping.run("changeAndTrap", eventOf(), trapped)).toThrow(TrapError);
      expect(trapped.said).toEqual(world.said);
    }
  });

  test("a run starts with its own world when the start depends on it", async () => {
    const source = `
      ${imports}
      const network = dataSource.network();
      let runs = 0;
      export function tell(event: ethereum.Event): void {
        runs++;
        log.info("{} {}", [network, runs.toString()]);
      }
    `;
    const mapping = compileMapping(await assemble(source, asc));
    for (const network of ["mainnet", "base", "base", "gnosis"]) {
      const world = testWorld({ network });
      mapping.run("tell", eventOf(), world);
      expect(world.said).toEqual([`${network} 1`]);
    }
  });

  test("a run starts from the initial state even if a number cannot be restored exactly", async () => {
    const source = `
      ${imports}
      let odd: f64 = reinterpret<f64>(0x7ff8000000000123);
      export function tell(event: ethereum.Event): void {
        log.info("{}", [reinterpret<u64>(odd).toString()]);
        odd = 1;
      }
    `;
    const mapping = compileMapping(await assemble(source, asc));
    const world = testWorld();
    for (let times = 0; times < 3; times++) mapping.run("tell", eventOf(), world);
    expect(world.said).toEqual(new Array(3).fill(String(0x7ff8000000000123n)));
  });
});
