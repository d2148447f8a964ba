import { describe, expect, it } from "vitest";
import { useApi } from "../remote/harness.js";
import { logged, texts } from "./harness.js";

const api = useApi();

describe("subgraph log", () => {
  it("polls until it is interrupted, even through an outage", async () => {
    const all = await logged(await api(), [10, "info", "first"]);
    const steps = [
      () => {
        // All three attempts of one poll fail.
        const fault = { kind: "status", status: 502, headers: { "retry-after": "0" } } as const;
        all.server.fail(fault, fault, fault);
        void all.add([0, "info", "second"], [0, "info", "second"]);
      },
      () => void all.add([-1, "info", "third"]),
    ];
    const { code, out, err } = await all.runShipped("subgraph log pools/1.0.0 --interval 0.1", {
      onPrint({ out: printed }, interrupt) {
        const lines = printed.split("\n").length - 1;
        if (lines === 1) steps.shift()?.();
        if (lines >= 2 && steps.length === 1) steps.shift()?.();
        if (printed.includes("third")) interrupt();
      },
    });
    expect(code).toBe(130);
    expect(texts(out)).toEqual(["first", "second", "second", "third"]);
    expect(err).toContain("(502, after 3 attempts)");
  });

  it("waits when the server limits its first request", async () => {
    const all = await logged(await api(), [10, "info", "first"]);
    const fault = { kind: "status", status: 429, headers: { "retry-after": "0" } } as const;
    all.server.fail(fault, fault, fault);
    const { code, out, err } = await all.runShipped("subgraph log pools/1.0.0 --interval 0.1", {
      onPrint({ out: printed }, interrupt) {
        if (printed.includes("first")) interrupt();
      },
    });
    expect([code, texts(out)]).toEqual([130, ["first"]]);
    expect(err).toContain("(429, after 3 attempts)");
  });

  it("continues when the server limits its requests", async () => {
    const all = await logged(await api(), [10, "info", "first"]);
    let isBusy = false;
    const { out, err } = await all.runShipped("subgraph log pools/1.0.0 --interval 0.1", {
      onPrint({ out: printed }, interrupt) {
        if (printed.includes("second")) interrupt();
        else if (printed.includes("first") && !isBusy) {
          isBusy = true;
          const fault = { kind: "status", status: 429, headers: { "retry-after": "0" } } as const;
          all.server.fail(fault, fault, fault);
          void all.add([0, "info", "second"]);
        }
      },
    });
    expect(texts(out)).toEqual(["first", "second"]);
    expect(err).toContain("(429, after 3 attempts)");
  });
});
