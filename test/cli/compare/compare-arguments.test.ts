import { expect, it } from "vitest";
import { useFolder } from "../../support/folder.js";
import { config, graphloom } from "../harness.js";

const cwd = useFolder({ "pools/subgraph.json": config() });

it.each([
  ["a.example b.example", 'There is no file or folder "a.example"'],
  ["a.example b.example", "Name the left side by the address of an endpoint, which starts with http:// or"],
  ["http://a.example pools", '"pools" is a configuration, which has no entities to compare.'],
  ["http://a.example pools", "To query it, run: graphloom dev pools"],
  [
    "QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPbdG http://a.example",
    "is the id of a deployment, not an endpoint.",
  ],
  [
    "pools/1.0.0 http://a.example",
    'There is no file or folder "pools/1.0.0", and no server to ask for a version: No API to talk to.',
  ],
  ["http://a.example ftp://key-7@b.example", "The address of the right side must start"],
  ["http://a.example", "<right> is missing: graphloom compare <left> <right>"],
  ["http://a.example http://b.example --block -1", "--block must be a whole number from 0 to 2147483647."],
  ["http://a.example http://b.example --page 1001", "--page must be a whole number from 1 to 1000."],
  ["http://a.example http://b.example --rate 0", "--rate must be a number of requests per second"],
  ["http://a.example http://b.example --header-left key-7", "--header-left must have a name and a value"],
  [
    "http://a.example http://b.example --header-right key-7\u0007:x",
    "--header-right must have a name and a value",
  ],
  [
    "http://a.example http://b.example --header-right x:key-7\u00e9",
    "the value of x contains characters that a header cannot hold",
  ],
  // Without quotes, the shell splits a header into words.
  [
    "http://a.example http://b.example --header-left Authorization: Bearer key-7",
    "graphloom compare takes two addresses",
  ],
])("the parser rejects the command line without quoting its keys: compare %s", async (line, message) => {
  const { code, out, err } = await graphloom(cwd, `compare ${line}`);
  expect([code, out]).toEqual([2, ""]);
  expect(err).toContain(message);
  expect(err).not.toContain("key-7");
});
