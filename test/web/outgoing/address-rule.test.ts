import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type AddressPolicy, createAddressRule } from "../../../src/web/outgoing/address-rule.js";
import { withExamplePort, withoutPort } from "../../../src/web/outgoing/opening.js";

/** A rule, asked about port 443 of an address. */
function ruleOf(policy: AddressPolicy): (address: string) => string | undefined {
  const rule = createAddressRule(policy);
  return (address) => rule({ address, port: 443 });
}

const strict = ruleOf({ allowsPrivate: false });
const atHome = ruleOf({ allowsPrivate: true });

describe("a server that other machines can reach", () => {
  test.each([
    "127.0.0.1",
    "127.9.9.9",
    "10.0.0.1",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.1.1",
    "100.64.0.1",
    "0.0.0.0",
    "224.0.0.1",
    "255.255.255.255",
    "198.18.0.1",
    "192.0.2.7",
    "::1",
    "::",
    "fc00::1",
    "fd12:3456::1",
    "fe80::1",
    "fe80::1%eth0",
    "ff02::1",
    "2001:db8::1",
    "fec0::1",
    "::ffff:127.0.0.1",
    "::ffff:7f00:1",
    "::127.0.0.1",
    "::ffff:0:10.0.0.1",
    "64:ff9b::10.0.0.1",
    "2002:7f00:1::",
    "2002:c0a8:0101::1",
    "2001:0:4136:e378:8000:63bf:3fff:fdd2",
  ])("does not connect to %s", (address) => {
    expect(strict(address)).toContain("private");
    expect(atHome(address)).toBeUndefined();
  });

  test.each([
    "1.1.1.1",
    "9.255.255.255",
    "11.0.0.0",
    "172.15.0.1",
    "172.32.0.1",
    "100.63.255.255",
    "100.128.0.0",
    "2606:4700::1111",
    "2a00::1",
    "::ffff:1.1.1.1",
    "64:ff9b::1.1.1.1",
    "2002:101:101::1",
    "223.255.255.1",
  ])("connects to %s", (address) => {
    expect(strict(address)).toBeUndefined();
  });
});

test.each([
  "169.254.169.254",
  "169.254.170.2",
  "100.100.100.200",
  "fd00:ec2::254",
  "fd20:ce::254",
  "::ffff:169.254.169.254",
  "::ffff:a9fe:a9fe",
  "64:ff9b::169.254.169.254",
  "2002:a9fe:a9fe::",
])("the rule never allows the metadata address %s", (address) => {
  for (const rule of [strict, atHome, ruleOf({ allowsPrivate: true, listed: [address] })]) {
    expect(rule(address)).toContain("never");
  }
});

describe("a listed network", () => {
  test("is allowed although it is private", () => {
    const rule = ruleOf({
      allowsPrivate: false,
      listed: ["10.1.0.0/16", "fd12::/17", "192.168.7.9"],
    });
    expect(["10.1.2.3", "::ffff:10.1.2.3", "fd12:7000::1", "192.168.7.9"].map(rule)).toEqual(
      Array(4).fill(undefined),
    );
    for (const other of ["10.2.0.1", "fd12:8000::1", "192.168.7.8"]) expect(rule(other)).toContain("private");
  });

  test("of IPv6 contains no IPv4 addresses", () => {
    const rule = ruleOf({ allowsPrivate: false, listed: ["::/0"] });
    expect(rule("fd12::1")).toBeUndefined();
    for (const other of ["10.0.0.1", "::ffff:10.0.0.1", "2002:a00:1::"])
      expect(rule(other)).toContain("private");
  });

  test.each([
    "10.0.0.0/33",
    "10.0.0.0/",
    "10.0.0.0/8/8",
    "hooks.internal",
    "10.0.0.0/-1",
    "::/129",
    "",
    ":5432",
    "10.0.0.1:0",
    "10.0.0.1:65536",
    "10.0.0.1:05",
    "10.0.0.1:5432:5432",
    "10.0.0.1:",
    "10.0.0.0/33:443",
    "1.2.3:443",
    "0x7f.1:443",
    "2130706433:443",
    "[db.internal]:443",
    "[::1]:",
    "[::1]5432",
    "[::1:5432",
    "db.internal/8:443",
    "http://db.internal:443",
    "user@db.internal:443",
  ])("cannot be %j", (listed) => {
    expect(() => createAddressRule({ allowsPrivate: false, listed: [listed] })).toThrow(RangeError);
  });
});

test.each([
  "localhost",
  "",
  "1.2.3",
  "2130706433",
  "0x7f000001",
  "[::1]",
])("the rule reports that %j is not an IP address", (text) => {
  expect(atHome(text)).toContain("not an IP address");
});

describe("an opening with a port", () => {
  test.each([
    ["127.0.0.1:5432", "127.0.0.1"],
    ["127.0.0.1:5432", "::ffff:127.0.0.1"],
    ["[::ffff:127.0.0.1]:5432", "127.0.0.1"],
    ["[::1]:5432", "::1"],
    ["[::1]:5432", "0:0:0:0:0:0:0:1"],
    ["10.0.0.0/8:5432", "10.9.8.7"],
    ["[fd12::/16]:5432", "fd12::9"],
    ["[fd12::]/16:5432", "fd12::9"],
    ["fd12::/16:5432", "fd12::9"],
  ])("%s opens that port of %s and no other", (listed, address) => {
    const rule = createAddressRule({ allowsPrivate: false, listed: [listed] });
    expect(rule({ address, port: 5432 })).toBeUndefined();
    for (const port of [1, 443, 5431, 5433, 54320, Number.NaN])
      expect(rule({ address, port })).toBe(
        `${address} is a private address, and its port ${port} is not allowed`,
      );
    expect(rule({ address: "192.168.0.1", port: 5432 })).toBe("192.168.0.1 is a private address");
  });

  test("does not limit an opening of every port", () => {
    const rule = createAddressRule({ allowsPrivate: false, listed: ["10.0.0.0/8:443", "10.1.0.0/16"] });
    expect(rule({ address: "10.1.0.1", port: 80 })).toBeUndefined();
    expect(rule({ address: "10.2.0.1", port: 80 })).toContain("port 80");
  });

  test("may be a name, which opens any private address it resolves to", () => {
    const rule = createAddressRule({ allowsPrivate: false, listed: ["DB.internal.:5432"] });
    for (const host of ["db.internal", "DB.INTERNAL", "db.internal."])
      expect(rule({ address: "10.0.0.1", port: 5432, host })).toBeUndefined();
    expect(rule({ address: "10.0.0.1", port: 5433, host: "db.internal" })).toContain("port 5433");
    for (const host of [undefined, "internal", "a.db.internal", "db.internal.evil.example"])
      expect(rule({ address: "10.0.0.1", port: 5432, host })).toContain("private");
    expect(rule({ address: "169.254.169.254", port: 5432, host: "db.internal" })).toContain("never");
  });

  test("needs no public address, and limits none", () => {
    const rule = createAddressRule({ allowsPrivate: false, listed: ["8.8.8.8:53", "10.0.0.1:443"] });
    expect(rule({ address: "8.8.8.8", port: 80 })).toBeUndefined();
  });
});

test("openings without a port are distinct, and can be written with a port", () => {
  const listed = ["10.0.0.1:5432", "10.0.0.1", "[::1]:443", "::1", "[::1]", "fd12::/16", "db.internal:1"];
  expect(withoutPort(listed)).toEqual(["10.0.0.1", "::1", "[::1]", "fd12::/16"]);
  expect(withoutPort(listed).map(withExamplePort)).toEqual([
    "10.0.0.1:5432",
    "[::1]:5432",
    "[::1]:5432",
    "[fd12::/16]:5432",
  ]);
  expect(withoutPort(withoutPort(listed).map(withExamplePort))).toEqual([]);
});

describe("a private destination", () => {
  /** Few values, so that they meet often. */
  const port = fc.constantFrom(80, 443, 5432);
  const bytes = fc.tuple(fc.constantFrom(0, 1, 255), fc.constantFrom(0, 128), fc.constantFrom(0, 1, 2));
  const isSixth = fc.boolean();
  const host = fc.constantFrom("db.internal", "mq.internal");
  const numberOf = ([a, b, c]: readonly number[]): number => ((a ?? 0) << 16) | ((b ?? 0) << 8) | (c ?? 0);
  const addressOf = (isV6: boolean, [a = 0, b = 0, c = 0]: readonly number[]): string =>
    isV6 ? `fd00::${a.toString(16)}:${((b << 8) | c).toString(16)}` : `10.${a}.${b}.${c}`;
  const opening = fc.record({
    isV6: isSixth,
    bytes,
    length: fc.constantFrom(undefined, 0, 7, 16, 23, 24),
    port: fc.option(port, { nil: undefined }),
    name: fc.option(host, { nil: undefined }),
  });

  test("is admitted exactly if an opening covers its address or name, and its port", () => {
    fc.assert(
      fc.property(
        fc.array(opening, { maxLength: 4 }),
        fc.record({ isV6: isSixth, bytes, port, host: fc.option(host, { nil: undefined }) }),
        fc.boolean(),
        (openings, destination, isMapped) => {
          const listed = openings.map(({ isV6, bytes, length, port, name }) => {
            if (name !== undefined && port !== undefined) return `${name}:${port}`;
            // All lengths begin after the part that all addresses of the family have.
            const network =
              addressOf(isV6, bytes) + (length === undefined ? "" : `/${(isV6 ? 104 : 8) + length}`);
            if (port === undefined) return network;
            return isV6 ? `[${network}]:${port}` : `${network}:${port}`;
          });
          const covers = openings.some((one) => {
            if (one.port !== undefined && one.port !== destination.port) return false;
            if (one.name !== undefined && one.port !== undefined) return one.name === destination.host;
            if (one.isV6 !== destination.isV6) return false;
            const rest = 24 - (one.length ?? 24);
            return numberOf(one.bytes) >> rest === numberOf(destination.bytes) >> rest;
          });
          const plain = addressOf(destination.isV6, destination.bytes);
          const address = isMapped && !destination.isV6 ? `::ffff:${plain}` : plain;
          const rule = createAddressRule({ allowsPrivate: false, listed });
          const { port, host } = destination;
          expect(rule({ address, port, host }) === undefined).toBe(covers);
        },
      ),
    );
  });
});
