import { expect, test } from "vitest";
import type { EnsName } from "../../../src/runtime/ens/read-ens-names.js";
import { importEnsNames, importedEnsNames } from "../../../src/store/deployments/ens-names.js";
import { describeDatabases } from "../../support/database/databases.js";

const hash = (number: number): string => `0x${number.toString(16).padStart(64, "0")}`;

async function* listed(names: readonly EnsName[]): AsyncGenerator<EnsName> {
  yield* names;
}

describeDatabases("names of ENS", ({ fresh }) => {
  test("the store finds imported names by their hashes, and nothing before an import", async () => {
    const database = await fresh();
    const names = importedEnsNames(database);
    for (const asked of [hash(1), "nonsense", "\0"]) expect(await names.lookUp(asked)).toBeUndefined();
    const odd = `a "b", \\c {d} 'e' ü,`;
    const count = await importEnsNames(
      database,
      listed([
        { hash: hash(1), name: "eth" },
        { hash: hash(2), name: odd },
      ]),
    );
    expect(count).toBe(2);
    expect(await names.lookUp(hash(1))).toBe("eth");
    expect(await names.lookUp(hash(2))).toBe(odd);
    const others = [hash(3), hash(10).toUpperCase(), hash(1).slice(2), "nonsense", "\0", "0x1"];
    for (const asked of others) expect(await names.lookUp(asked)).toBeNull();
  });

  test("the store adds names to earlier ones, and keeps the last name of a hash", async () => {
    const database = await fresh();
    const many = Array.from({ length: 2_500 }, (_, index) => ({ hash: hash(index), name: `name ${index}` }));
    expect(await importEnsNames(database, listed([...many, { hash: hash(7), name: "again" }]))).toBe(2_501);
    await importEnsNames(database, listed([{ hash: hash(8), name: "later" }]));
    const names = importedEnsNames(database);
    const found = await Promise.all([6, 7, 8, 2_499, 2_500].map((number) => names.lookUp(hash(number))));
    expect(found).toEqual(["name 6", "again", "later", "name 2499", null]);
  });
});
