import { describe, expect, test } from "vitest";
import { createAddressRule } from "../../../src/web/outgoing/address-rule.js";

const strict = createAddressRule({ allowsPrivate: false });
const atHome = createAddressRule({ allowsPrivate: true });

describe("a server that other machines can reach", () => {
  test.each([
    ...["127.0.0.1", "127.9.9.9", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "100.64.0.1"],
    ...["0.0.0.0", "224.0.0.1", "255.255.255.255", "198.18.0.1", "192.0.2.7"],
    ...[
      "::1",
      "::",
      "fc00::1",
      "fd12:3456::1",
      "fe80::1",
      "fe80::1%eth0",
      "ff02::1",
      "2001:db8::1",
      "fec0::1",
    ],
    ...["::ffff:127.0.0.1", "::ffff:7f00:1", "::127.0.0.1", "::ffff:0:10.0.0.1"],
    ...["64:ff9b::10.0.0.1", "2002:7f00:1::", "2002:c0a8:0101::1", "2001:0:4136:e378:8000:63bf:3fff:fdd2"],
  ])("does not connect to %s", (address) => {
    expect(strict(address)).toContain("private");
    expect(atHome(address)).toBeUndefined();
  });

  test.each([
    ...["1.1.1.1", "9.255.255.255", "11.0.0.0", "172.15.0.1", "172.32.0.1", "100.63.255.255", "100.128.0.0"],
    ...[
      "2606:4700::1111",
      "2a00::1",
      "::ffff:1.1.1.1",
      "64:ff9b::1.1.1.1",
      "2002:101:101::1",
      "223.255.255.1",
    ],
  ])("connects to %s", (address) => {
    expect(strict(address)).toBeUndefined();
  });
});

test.each([
  ...["169.254.169.254", "169.254.170.2", "100.100.100.200", "fd00:ec2::254", "fd20:ce::254"],
  ...["::ffff:169.254.169.254", "::ffff:a9fe:a9fe", "64:ff9b::169.254.169.254", "2002:a9fe:a9fe::"],
])("never allows the metadata address %s", (address) => {
  for (const rule of [strict, atHome, createAddressRule({ allowsPrivate: true, listed: [address] })]) {
    expect(rule(address)).toContain("never");
  }
});

describe("a listed network", () => {
  test("is allowed although it is private", () => {
    const rule = createAddressRule({
      allowsPrivate: false,
      listed: ["10.1.0.0/16", "fd12::/17", "192.168.7.9"],
    });
    expect(["10.1.2.3", "::ffff:10.1.2.3", "fd12:7000::1", "192.168.7.9"].map(rule)).toEqual(
      Array(4).fill(undefined),
    );
    for (const other of ["10.2.0.1", "fd12:8000::1", "192.168.7.8"]) expect(rule(other)).toContain("private");
  });

  test("of IPv6 contains no IPv4 addresses", () => {
    const rule = createAddressRule({ allowsPrivate: false, listed: ["::/0"] });
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
])("reports that %j is not an IP address", (text) => {
  expect(atHome(text)).toContain("not an IP address");
});
