import type { AbiEvent, AbiFunction } from "./abi.js";
import { isCallable, isListenable } from "./bind-abi.js";
import { capitalize, componentNames, parameterNames } from "./parameter-names.js";
import {
  unusableCallValues,
  unusableComponents,
  unusableEventParameters,
  unusableMethodParameters,
} from "./reserved-words.js";
import type { Parameter, SolidityType } from "./solidity-type.js";
import { isIdentifier } from "./unbindable.js";

/** One place of a binding that names a list of parameters. */
interface NamingPlace {
  readonly unusable: ReadonlySet<string>;
  /** The names as spelled there; they must be unique. */
  spell(names: readonly string[]): string[];
}

const none: ReadonlySet<string> = new Set();
const asParam = (names: readonly string[]) => parameterNames(names, "param");
const asValue = (names: readonly string[]) => parameterNames(names, "value");

const places = {
  eventParameters: { unusable: unusableEventParameters, spell: asParam },
  methodParameters: { unusable: unusableMethodParameters, spell: asParam },
  // The getters of `a` and of `A` are both `getA`.
  methodResults: { unusable: none, spell: (names) => asValue(names).map(capitalize) },
  callValues: { unusable: unusableCallValues, spell: asValue },
  components: { unusable: unusableComponents, spell: componentNames },
} as const satisfies Record<string, NamingPlace>;

/** Renames parameters so that they work in the binding. Returns the same object if they already do. */
export function withSafeParameters<Entry extends AbiEvent | AbiFunction>(entry: Entry): Entry;
export function withSafeParameters(entry: AbiEvent | AbiFunction): AbiEvent | AbiFunction {
  if (entry.kind === "event") {
    const inputs = safeParameters(entry.inputs, [places.eventParameters]);
    return inputs === entry.inputs ? entry : { ...entry, inputs };
  }
  const call = isListenable(entry) ? [places.callValues] : [];
  const [method, result] = isCallable(entry) ? [[places.methodParameters], [places.methodResults]] : [[], []];
  const inputs = safeParameters(entry.inputs, [...method, ...call]);
  const outputs = safeParameters(entry.outputs, [...result, ...call]);
  return inputs === entry.inputs && outputs === entry.outputs ? entry : { ...entry, inputs, outputs };
}

function safeParameters(
  parameters: readonly Parameter[],
  where: readonly NamingPlace[],
): readonly Parameter[] {
  const names: string[] = [];
  for (const { name } of parameters) names.push(safeName(name, names, where));
  const safe = parameters.map((parameter, at) => {
    const [name, type] = [names[at] as string, safeType(parameter.type)];
    return name === parameter.name && type === parameter.type ? parameter : { ...parameter, name, type };
  });
  return safe.every((parameter, at) => parameter === parameters[at]) ? parameters : safe;
}

/** Selectors and topics do not include parameter names, so these can be changed freely. */
function safeName(name: string, before: readonly string[], where: readonly NamingPlace[]): string {
  let safe = isIdentifier(name) ? name : "";
  while (where.some((place) => place.unusable.has(safe) || isTaken(safe, before, place))) {
    safe = `${safe || `value${before.length}`}_`;
  }
  return safe;
}

function isTaken(name: string, before: readonly string[], place: NamingPlace): boolean {
  const spelled = place.spell([...before, name]);
  return spelled.indexOf(spelled.at(-1) as string) < before.length;
}

function safeType(type: SolidityType): SolidityType {
  if (type.kind === "array") {
    const of = safeType(type.of);
    return of === type.of ? type : { ...type, of };
  }
  if (type.kind !== "tuple") return type;
  const components = safeParameters(type.components, [places.components]);
  return components === type.components ? type : { ...type, components };
}
