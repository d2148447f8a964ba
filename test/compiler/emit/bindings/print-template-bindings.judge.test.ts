import { expect, test } from "vitest";
import { printTemplateBindings } from "../../../../src/compiler/emit/bindings/print-template-bindings.js";
import { peerTemplateBindings } from "./peer.js";

const longName = "ATemplateWithANameThatIsAsLongAsTheWholeLineThatItIsToBePrintedOnWithoutABreak";

test.each([
  ["one template", ["Pool"]],
  ["several templates", ["Pool", "Vault", "toString", "__proto__"]],
  ["names of any length", Array.from(longName, (_, at) => longName.slice(0, at + 1))],
])("the compiler prints the same template bindings as graph-cli for %s", async (_, names) => {
  expect(printTemplateBindings(names.map((name) => ({ name, of: "contract" })))).toBe(
    await peerTemplateBindings(names),
  );
});
