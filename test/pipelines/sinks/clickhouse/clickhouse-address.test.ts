import { expect, it } from "vitest";
import { clickHouseAddress } from "../../../../src/pipelines/sinks/clickhouse/clickhouse-address.js";

it("the parser reads an address with its login and database", () => {
  expect(clickHouseAddress("https://me:p%40ss@db.example:8443/chain%20data")).toEqual({
    url: "https://db.example:8443",
    username: "me",
    password: "p@ss",
    database: "chain data",
    tls: { checks: "all" },
  });
  expect(clickHouseAddress("http://localhost:8123")).toEqual({
    url: "http://localhost:8123",
    username: "default",
    password: "",
    database: "default",
  });
});

it("the parser reads the JSON of a secret", () => {
  const secret = { type: "clickHouse", url: "https://h:1", username: "u", password: "p", databaseName: "d" };
  expect(clickHouseAddress(JSON.stringify(secret))).toEqual({
    url: "https://h:1",
    username: "u",
    password: "p",
    database: "d",
    tls: { checks: "all" },
  });
});

it("the parser rejects invalid addresses", () => {
  for (const text of ["", "localhost:8123", "postgres://u:p@h/d", "https://", '{"url":1}', "[]"])
    expect(clickHouseAddress(text), text).toBeUndefined();
});
