import type { EthereumValue } from "../../runtime/values.js";
import { comparable, isSameValue, valueText } from "./shown-values.js";
import type { TestWorld } from "./test-world.js";

/** Why an assertion does not hold. */
export interface Complaint {
  readonly text: string;
  /** Whether a message of the test may take its place: it says that values differ, not that something is missing. */
  readonly isDifference: boolean;
}

const missing = (text: string): Complaint => ({ text, isDifference: false });
const differing = (text: string): Complaint => ({ text, isDifference: true });

/** The complaint of `assert.fieldEquals`; `undefined` when the assertion holds. */
export function fieldComplaint(
  world: TestWorld,
  type: string,
  id: string,
  field: string,
  expected: string,
): Complaint | undefined {
  const entities = world.entities.get(type);
  if (!entities) return missing(`(assert.fieldEquals) No entities with type '${type}' found.`);
  const entity = entities.get(id);
  if (!entity) return missing(`(assert.fieldEquals) No entity with type '${type}' and id '${id}' found.`);
  const value = entity.get(field);
  if (!value) {
    return missing(
      `(assert.fieldEquals) No field named '${field}' on entity with type '${type}' and id '${id}' found.`,
    );
  }
  const actual = valueText(value);
  if (actual === expected) return undefined;
  return differing(
    `(assert.fieldEquals) Expected field '${field}' to equal '${expected}', but was '${actual}' instead.`,
  );
}

/** The complaint of `assert.equals` and of all assertions that compare two values. */
export function valueComplaint(expected: EthereumValue, actual: EthereumValue): Complaint | undefined {
  const [one, other] = [comparable(expected), comparable(actual)];
  if (isSameValue(one, other)) return undefined;
  const [wanted, found] = [valueText(one), valueText(other)];
  const kinds = wanted === found ? `: one is of the kind ${one.kind}, the other of ${other.kind}` : "";
  return differing(`(assert.equals) Expected value was '${wanted}' but actual value was '${found}'${kinds}`);
}

export function presenceComplaint(world: TestWorld, type: string, id: string): Complaint | undefined {
  if (!world.get(type, id)) return undefined;
  return differing(
    `(assert.notInStore) Value for entity type: '${type}' and id: '${id}' was found in store.`,
  );
}

export function countComplaint(world: TestWorld, template: string, expected: number): Complaint | undefined {
  const sources = world.sources.get(template);
  if (!sources) return missing(`(assert.dataSourceCount) No template with name '${template}' found.`);
  if (sources.size === expected) return undefined;
  return differing(
    `(assert.dataSourceCount) Expected dataSource count for template \`${template}\` to be '${expected}' but was '${sources.size}'`,
  );
}

export function sourceComplaint(world: TestWorld, template: string, address: string): Complaint | undefined {
  const sources = world.sources.get(template);
  if (!sources) return missing(`(assert.dataSourceExists) No template with name '${template}' found.`);
  if (sources.has(address)) return undefined;
  return differing(
    `(assert.dataSourceExists) No dataSource with address '${address}' found for template '${template}'`,
  );
}

/** The line of a complaint: the test's own message takes the place of a difference. */
export function complaintText({ text, isDifference }: Complaint, message: string | undefined): string {
  return isDifference && message !== undefined ? `${text.slice(0, text.indexOf(")") + 1)} ${message}` : text;
}
