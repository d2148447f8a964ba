import { expect, test } from "vitest";
import { createAddressRule } from "../../../src/web/outgoing/address-rule.js";
import { refusalLog } from "../../../src/web/outgoing/refusal-log.js";

test("the log has each refused place once a minute, and a limited number of places", () => {
  let now = 0;
  const lines: string[] = [];
  const onRefused = refusalLog(
    (place, why) => lines.push(`${place}: ${why}`),
    () => now,
  );
  const rule = createAddressRule({ allowsPrivate: false, listed: ["10.0.0.1:5432"], onRefused });
  const ask = (): void => {
    rule({ address: "10.0.0.1", port: 443 });
    rule({ address: "10.0.0.2", port: 443, host: "db.internal" });
  };
  const both = [
    "10.0.0.1 port 443: 10.0.0.1 is a private address, and its port 443 is not allowed",
    "db.internal (10.0.0.2) port 443: 10.0.0.2 is a private address",
  ];
  rule({ address: "10.0.0.1", port: 5432 });
  rule({ address: "8.8.8.8", port: 443 });
  expect(lines).toEqual([]);
  ask();
  now = 59_999;
  ask();
  expect(lines.splice(0)).toEqual(both);
  now = 60_000;
  ask();
  expect(lines.splice(0)).toEqual(both);
  for (let port = 1; port <= 1_000; port += 1) rule({ address: "10.0.0.3", port });
  expect(lines).toHaveLength(18);
});
