import { present } from "../../../base/invariant.js";
import { quote } from "../../../base/text/quote.js";
import type { BoundMethod } from "../../abi/bound-abi.js";
import { arrayDepth, elementType, holdsI32, type SolidityType } from "../../abi/solidity-type.js";
import { correctName } from "../../diagnostics/correct-name.js";
import type { Report } from "../../diagnostics/report.js";
import type { CallSource, DeclaredCall, EnrichmentCall } from "../../model/enrichment.js";
import type { Location } from "../../source/source.js";
import type { CallConfig } from "../../validate/config.js";
import type { UsedAbi } from "../bind-abis.js";
import { checkExpression } from "../check/check-expression.js";
import type { BoundTrigger } from "../entities/name-entities.js";
import { type SourceExpression, userExpression } from "../expression-parser.js";
import { type ExpressionScope, findCall, type KnownCall } from "../expression-scope.js";
import { numberBounds } from "../number-bounds.js";
import { readExpression } from "../read-expression.js";
import type { BoundResolution, Resolution } from "../resolution.js";
import { type CallCycles, type Need, reportCycles } from "./call-cycles.js";
import { declareCall, type Undeclarable } from "./declare-call.js";
import { isPlanned, type PlannedCall, plainFunctions, refOf, type WrittenCall } from "./plan-call.js";

/** The calls of one handler, and all of their expressions. */
export interface ResolvedCalls {
  readonly calls: readonly EnrichmentCall[];
  /** The calls, as expressions see them. */
  readonly known: readonly KnownCall[];
  readonly expressions: readonly SourceExpression[];
}

/** Resolves the calls of one handler: order, dependencies, expressions, encoding, declaration. */
export function resolveCalls(
  written: readonly WrittenCall[],
  trigger: BoundTrigger,
  resolution: BoundResolution,
): ResolvedCalls {
  const dependencies = new Set(
    written.flatMap(({ config }) => config?.dependsOn.map(({ value }) => value) ?? []),
  );
  const readers = written.map(({ config, args }) => config && new CallReader({ config, args }, resolution));
  const tested = new Set(readers.flatMap((reader) => reader?.tested ?? []));
  const known = written.map((call): KnownCall => {
    const ref = refOf(call);
    const essential = call.config?.required === true || dependencies.has(ref);
    // The result of a call with an error is unknown.
    if (!isPlanned(call)) return { ref, essential, isTested: true, result: undefined, isLost: true };
    const { outputs } = call.fn;
    return {
      ref,
      essential,
      isTested: tested.has(ref),
      result: outputs.length === 1 ? outputs[0]?.type : undefined,
      isLost: false,
      fn: call.fn.name,
    };
  });
  const needs = readers.flatMap((reader) => reader?.needs(known) ?? []);
  const essential = new Set(known.flatMap((call) => (call.essential ? [call.ref] : [])));
  const refs = known.map(({ ref }) => ref);
  const cycles = reportCycles(needs, refs, (ref) => essential.has(ref), resolution.report);
  checkOrder(written, cycles, resolution.report);
  const expressions: SourceExpression[] = [];
  const calls = written.flatMap((call, position) => {
    const reader = readers[position];
    if (!reader) return [];
    const ref = refOf(call);
    const isInCycle = (other: string): boolean => cycles.has(ref, other);
    reader.check({
      trigger: trigger.trigger,
      functions: plainFunctions(trigger.abi.declaration),
      calls: known,
      callsMade: position,
      hasResult: false,
      of: { ref, part: "call", isInCycle },
    });
    if (!isPlanned(call)) return [];
    expressions.push(...reader.all);
    const used = present(resolution.abis.get(call.declaration.name.value), "a planned call lost its ABI");
    const method = used.model.bound.methods.find(({ fn }) => fn.index === call.fn.index);
    if (!method) return [];
    return [reader.resolve(used, method, trigger, known[position]?.essential ?? false)];
  });
  return { calls, known, expressions };
}

class CallReader {
  readonly #config: CallConfig;
  readonly #report: Report;
  #args: readonly SourceExpression[];
  #source: SourceExpression | string | undefined;
  #pre: SourceExpression | undefined;
  #post: SourceExpression | undefined;

  constructor(call: Pick<PlannedCall, "config" | "args">, resolution: Resolution) {
    const { config } = call;
    const name = config.ref.value;
    const read = (text: CallConfig["pre"], what: string): SourceExpression | undefined =>
      text && readExpression(text, what, resolution);
    this.#config = config;
    this.#args = call.args;
    this.#report = resolution.report;
    const plain = config.source && /^\s*(0x[0-9a-fA-F]{40})\s*$/.exec(config.source.value);
    this.#source = plain ? plain[1]?.toLowerCase() : read(config.source, `the source of call ${name}`);
    this.#pre = read(config.pre, `the condition before call ${name}`);
    this.#post = read(config.post, `the condition after call ${name}`);
  }

  get all(): readonly SourceExpression[] {
    const source = typeof this.#source === "string" ? undefined : this.#source;
    return [source, ...this.#args, this.#pre, this.#post].filter((found) => found !== undefined);
  }

  /** The calls on which this one depends. */
  needs(known: readonly KnownCall[]): readonly Need[] {
    const from = this.#config.ref.value;
    const dependencies = this.#config.dependsOn.map(
      ({ value, at }): Need => ({ from, to: value, at, isDependency: true }),
    );
    const readings = this.all.flatMap(({ parsed, source }) =>
      parsed.paths.flatMap(({ names: [root, use] }): readonly Need[] => {
        const call = root?.name === "calls" && use && findCall(use.name, known);
        if (!call) return [];
        const at = source.part(use.offset, use.offset + use.name.length);
        return [{ from, to: call.ref, at, isDependency: false }];
      }),
    );
    return [...dependencies, ...readings].filter(({ to }) => to !== from);
  }

  /** The calls that its conditions mention, and itself if its own result is tested. */
  get tested(): readonly string[] {
    const paths = [this.#pre, this.#post].flatMap((condition) => condition?.parsed.paths ?? []);
    const mentioned = paths.flatMap(({ names: [root, call] }) =>
      root?.name === "calls" && call ? [call.name.replace(/_reverted$/, "")] : [],
    );
    return this.#post ? [...mentioned, this.#config.ref.value] : mentioned;
  }

  /** Reports errors in its expressions, and replaces faulty ones with placeholders. */
  check(scope: ExpressionScope): void {
    const check = (expression: SourceExpression) => checkExpression(expression, scope, this.#report);
    const before = scope.of && { ...scope, of: { ...scope.of, part: "pre" as const } };
    if (this.#source && typeof this.#source !== "string") this.#source = check(this.#source);
    this.#args = this.#args.map(check);
    this.#pre &&= checkExpression(this.#pre, before ?? scope, this.#report);
    const after = { ...scope, callsMade: scope.callsMade + 1, hasResult: true };
    this.#post &&= checkExpression(this.#post, after, this.#report);
  }

  resolve(used: UsedAbi, method: BoundMethod, trigger: BoundTrigger, essential: boolean): EnrichmentCall {
    const declared = this.#declare(used, method, trigger);
    return {
      ref: this.#config.ref.value,
      contract: used.model.className,
      method,
      source: this.#callSource(),
      args: this.#args.map((argument, index) =>
        userExpression(argument, numberBounds(method.inputs[index]?.type)),
      ),
      essential,
      bindingSuffices:
        method.inputs.every(({ type }) => bindingEncodes(type)) &&
        !method.outputs.some(({ type }) => holdsI32(type)),
      ...(this.#pre && { pre: userExpression(this.#pre) }),
      ...(this.#post && { post: userExpression(this.#post) }),
      ...(declared && { declared }),
      at: this.#config.ref.at,
    };
  }

  #callSource(): CallSource {
    if (this.#source === undefined) return { kind: "trigger" };
    if (typeof this.#source === "string") return { kind: "address", address: this.#source };
    return { kind: "expression", value: userExpression(this.#source) };
  }

  #declare(used: UsedAbi, method: BoundMethod, { trigger, abi }: BoundTrigger): DeclaredCall | undefined {
    const config = this.#config;
    const args = this.#args;
    if (!config.declared) return undefined;
    if (trigger.kind === "call") {
      this.#reportUndeclarable(config.declared.at, { reason: "only event handlers can have declared calls" });
      return undefined;
    }
    const { event } = trigger.bound;
    const overloaded = abi.model.abi.events.filter(({ name }) => name === event.name).length > 1;
    const declared = declareCall(
      { contract: used.model, method, name: config.name, source: this.#source, args },
      trigger.bound,
      overloaded,
    );
    if (!("reason" in declared)) return declared;
    this.#reportUndeclarable(config.declared.at, declared);
    return undefined;
  }

  #reportUndeclarable(setting: Location, { part, reason, related = [] }: Undeclarable): void {
    const message = `call ${quote(this.#config.ref.value)} cannot be declared`;
    this.#report.warning("not-declarable", part ?? setting, message, {
      label: reason,
      related: [...(part ? [{ at: setting, text: "declared here" }] : []), ...related],
      notes: ["the handler makes the call itself, which is slower but correct"],
      hint: 'remove "declared"',
    });
  }
}

/** Whether graph-cli's generated method encodes an argument of this type correctly. */
function bindingEncodes(type: SolidityType): boolean {
  if (elementType(type).kind === "tuple") return false;
  for (let inner = type; inner.kind === "array"; inner = inner.of) {
    if (inner.length !== null) return false;
  }
  const element = elementType(type);
  const smallUnsigned = element.kind === "int" && !element.signed && element.bits <= 24;
  return !(arrayDepth(type) > 0 && smallUnsigned);
}

/** Reports names in `depends_on` that are not earlier calls, because calls are made in written order. */
function checkOrder(written: readonly WrittenCall[], cycles: CallCycles, report: Report): void {
  const refs = written.map(refOf);
  for (const [position, { config }] of written.entries()) {
    const ref = refs[position] ?? "";
    for (const dependency of config?.dependsOn ?? []) {
      const other = refs.indexOf(dependency.value);
      const [name, wanted] = [quote(ref), quote(dependency.value)];
      if (other === -1) {
        const message = `call ${name} depends on ${wanted}, which is not a call`;
        report.error("unknown-call", dependency.at, message, {
          label: "not a call of this handler",
          ...(correctName(
            dependency,
            refs.filter((_, index) => index !== position),
          ) ?? { hint: 'declare it under "calls", before this one' }),
        });
      } else if (other === position) {
        report.error("call-order", dependency.at, `call ${name} depends on itself`, {
          label: "the call itself",
          related: config ? [{ at: config.ref.at, text: "the call" }] : [],
          hint: 'remove it from "depends_on"',
        });
      } else if (other > position && !cycles.has(ref, dependency.value)) {
        const later = written[other]?.config?.ref.at;
        const message = `call ${name} depends on ${wanted}, which comes later`;
        report.error("call-order", dependency.at, message, {
          label: "not made yet at this point",
          related: later ? [{ at: later, text: "made here" }] : [],
          hint: `move ${wanted} before ${name}`,
        });
      }
    }
  }
}
