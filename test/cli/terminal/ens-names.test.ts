import { join } from "node:path";
import { expect, test } from "vitest";
import { namesInFile } from "../../../src/cli/terminal/ens-names.js";
import { UsageError } from "../../../src/cli/terminal/usage/usage-error.js";
import { plant, testFolder } from "../../support/folder.js";

const hash = (number: number): string => `0x${number.toString(16).padStart(64, "0")}`;

async function read(file: string, cwd: string): Promise<number> {
  let count = 0;
  for await (const { hash: own, name } of namesInFile(file, cwd)) {
    expect([own, name]).toEqual([hash(count), `name ${count}`]);
    count += 1;
  }
  return count;
}

test("the reader reads a file of names to its end, with either kind of line break", async () => {
  const folder = testFolder();
  const lines = Array.from({ length: 5_000 }, (_, index) => `${hash(index)},name ${index}`);
  plant(folder, { "unix.csv": `${lines.join("\n")}\n`, "dos.csv": `hash,name\r\n${lines.join("\r\n")}` });
  expect(await read("unix.csv", folder)).toBe(5_000);
  expect(await read(join(folder, "dos.csv"), "/")).toBe(5_000);
});

test.each([
  ["absent.csv", "--ens-names: absent.csv: the file does not exist."],
  [".", "--ens-names: .: it is a folder."],
  [
    "words.csv",
    "--ens-names: words.csv: line 2 does not start with a hash (0x and 64 hex digits) and a comma",
  ],
  ["long.csv", "--ens-names: long.csv: line 1 is longer than 10000 characters."],
])("%s is refused", async (file, message) => {
  const folder = testFolder();
  plant(folder, { "words.csv": `${hash(0)},name 0\nwords\n`, "long.csv": "x".repeat(200_000) });
  await expect(read(file, folder)).rejects.toThrow(UsageError);
  await expect(read(file, folder)).rejects.toThrow(message);
});
