import type { BoundMethod } from "../abi/bound-abi.js";
import { arrayDepth, elementType, type SolidityType } from "../abi/solidity-type.js";
import { present } from "../diagnostics/invariant.js";
import type { Report } from "../diagnostics/report.js";
import { suggest } from "../diagnostics/suggest.js";
import type { CallSource, DeclaredCall, EnrichmentCall } from "../model/enrichment.js";
import type { CallConfig } from "../validate/config.js";
import type { UsedAbi } from "./bind-abis.js";
import { checkExpression, type ExpressionScope } from "./check-expression.js";
import { declareCall } from "./declare-call.js";
import {
  type ExpressionParser,
  readExpression,
  type SourceExpression,
  userExpression,
} from "./expression-parser.js";
import type { BoundTrigger } from "./name-entities.js";
import type { PlannedCall } from "./plan-call.js";

/** The calls of one handler, and every expression in them. */
export interface ResolvedCalls {
  readonly calls: readonly EnrichmentCall[];
  readonly expressions: readonly SourceExpression[];
}

/** Resolves the calls of one handler: order, dependencies, expressions, encoding, declaration. */
export function resolveCalls(
  planned: readonly PlannedCall[],
  trigger: BoundTrigger,
  abis: ReadonlyMap<string, UsedAbi>,
  parser: ExpressionParser,
  report: Report,
): ResolvedCalls {
  checkOrder(planned, report);
  const dependencies = new Set(planned.flatMap(({ config }) => config.dependsOn.map(({ value }) => value)));
  const known = planned.map(({ config }) => ({
    ref: config.ref.value,
    essential: config.required || dependencies.has(config.ref.value),
  }));
  const expressions: SourceExpression[] = [];
  const calls = planned.flatMap((call, position) => {
    const reader = new CallReader(call, parser, report);
    const scope = { trigger: trigger.trigger, calls: known, callsMade: position, hasResult: false };
    reader.check(scope);
    expressions.push(...reader.all);
    const used = present(abis.get(call.declaration.name.value), "a planned call lost its ABI");
    const method = used.model.bound.methods.find(({ fn }) => fn.index === call.fn.index);
    if (!method) return [];
    return [reader.resolve(used, method, trigger, known[position]?.essential ?? false)];
  });
  return { calls, expressions };
}

/** `depends_on` names calls that come earlier: calls are made in the order written. */
function checkOrder(planned: readonly PlannedCall[], report: Report): void {
  const refs = planned.map(({ config }) => config.ref.value);
  for (const [position, { config }] of planned.entries()) {
    for (const { value, at } of config.dependsOn) {
      const other = refs.indexOf(value);
      if (other === -1) {
        const near = suggest(value, refs);
        report.error(
          "unknown-call",
          at,
          `call "${config.ref.value}" depends on "${value}", which is not a call of this handler`,
          {
            hint: near.length > 0 ? `write "${near[0]}"` : undefined,
          },
        );
      } else if (other === position) {
        report.error("call-order", at, `call "${value}" depends on itself`, {
          hint: 'remove it from "depends_on"',
        });
      } else if (other > position) {
        report.error(
          "call-order",
          at,
          `call "${config.ref.value}" depends on "${value}", which comes later`,
          {
            hint: `move "${value}" before "${config.ref.value}"`,
          },
        );
      }
    }
  }
}

/** The expressions of one call. */
class CallReader {
  readonly #call: PlannedCall;
  readonly #report: Report;
  readonly #source: SourceExpression | string | undefined;
  readonly #pre: SourceExpression | undefined;
  readonly #post: SourceExpression | undefined;

  constructor(call: PlannedCall, parser: ExpressionParser, report: Report) {
    const { config } = call;
    const name = config.ref.value;
    const read = (text: CallConfig["pre"], what: string): SourceExpression | undefined =>
      text && readExpression(text, what, parser, report);
    this.#call = call;
    this.#report = report;
    const plain = config.source && /^\s*(0x[0-9a-fA-F]{40})\s*$/.exec(config.source.value);
    this.#source = plain ? plain[1]?.toLowerCase() : read(config.source, `the source of call ${name}`);
    this.#pre = read(config.pre, `the condition before call ${name}`);
    this.#post = read(config.post, `the condition after call ${name}`);
  }

  get all(): readonly SourceExpression[] {
    const source = typeof this.#source === "string" ? undefined : this.#source;
    return [source, ...this.#call.args, this.#pre, this.#post].filter((found) => found !== undefined);
  }

  check(scope: ExpressionScope): void {
    const after = { ...scope, callsMade: scope.callsMade + 1, hasResult: true };
    for (const expression of this.all) {
      checkExpression(expression, expression === this.#post ? after : scope, this.#report);
    }
  }

  resolve(used: UsedAbi, method: BoundMethod, trigger: BoundTrigger, essential: boolean): EnrichmentCall {
    const declared = this.#declare(used, method, trigger);
    return {
      ref: this.#call.config.ref.value,
      contract: used.model.className,
      method,
      source: this.#callSource(),
      args: this.#call.args.map(userExpression),
      essential,
      bindingEncodes: method.inputs.every(({ type }) => bindingEncodes(type)),
      ...(this.#pre && { pre: userExpression(this.#pre) }),
      ...(this.#post && { post: userExpression(this.#post) }),
      ...(declared && { declared }),
    };
  }

  #callSource(): CallSource {
    if (this.#source === undefined) return { kind: "trigger" };
    if (typeof this.#source === "string") return { kind: "address", address: this.#source };
    return { kind: "expression", value: userExpression(this.#source) };
  }

  #declare(used: UsedAbi, method: BoundMethod, { trigger, abi }: BoundTrigger): DeclaredCall | undefined {
    const { config, args } = this.#call;
    if (!config.declared) return undefined;
    if (trigger.kind === "call") {
      this.#report.warning(
        "not-declarable",
        config.declared.at,
        `call "${config.ref.value}" is made in the handler: only event handlers have declared calls`,
      );
      return undefined;
    }
    const { event } = trigger.bound;
    const overloaded = abi.model.abi.events.filter(({ name }) => name === event.name).length > 1;
    const declared = declareCall(
      { contract: used.model, method, source: this.#source, args },
      trigger.bound,
      overloaded,
    );
    if (!("reason" in declared)) return declared;
    this.#report.warning(
      "not-declarable",
      declared.part?.at ?? config.declared.at,
      `call "${config.ref.value}" is made in the handler, it cannot be declared: ${declared.reason}`,
    );
    return undefined;
  }
}

/** Whether the peer's generated method encodes an argument of this type as the contract expects. */
function bindingEncodes(type: SolidityType): boolean {
  if (elementType(type).kind === "tuple") return false;
  for (let inner = type; inner.kind === "array"; inner = inner.of) {
    if (inner.length !== null) return false;
  }
  const element = elementType(type);
  const smallUnsigned = element.kind === "int" && !element.signed && element.bits <= 24;
  return !(arrayDepth(type) > 0 && smallUnsigned);
}
