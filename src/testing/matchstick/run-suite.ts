import type { SuiteOutcome, TestLine, TestOutcome } from "../outcome.js";
import type { Registered } from "./test-functions.js";
import { type CallFailure, type CompiledTests, TestModule } from "./test-module.js";
import type { TestedSubgraph } from "./test-world.js";

/** A test file to run. */
export interface Suite extends Pick<SuiteOutcome, "name" | "file"> {
  readonly compiled: CompiledTests;
}

/** The dependencies of a suite's run besides its module. */
export interface SuiteOptions {
  /** Milliseconds since any fixed moment. */
  readonly now: () => number;
  /** Called after every test. */
  readonly onTest?: (outcome: TestOutcome) => void;
  /** Called when a handler runs, with its number in a module that was compiled for coverage. */
  readonly onHandler?: (handler: number) => void;
}

/** A block of tests: a file or a `describe`. */
interface Block {
  readonly within: readonly string[];
  readonly beforeAll: readonly number[];
  readonly afterAll: readonly number[];
  /** In the order of registration. */
  readonly items: readonly (Block | PlannedTest)[];
}

interface PlannedTest {
  readonly name: string;
  readonly within: readonly string[];
  readonly shouldFail: boolean;
  readonly index: number;
  /** Outer hooks first. */
  readonly before: readonly number[];
  /** Inner hooks first. */
  readonly after: readonly number[];
}

/** Runs the tests of one file in the order in which it registers them, in one instance, as matchstick does. */
export function runSuite(
  { name, file, compiled }: Suite,
  subgraph: TestedSubgraph,
  options: SuiteOptions,
): SuiteOutcome {
  const tests: TestOutcome[] = [];
  const broken: TestLine[] = [];
  const around: TestLine[] = [];
  const outcome = { name, file, tests, broken, around };
  let module: TestModule;
  try {
    module = new TestModule(compiled, subgraph, options.onHandler ?? (() => undefined));
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    broken.push({ level: "critical", text: error.message });
    return outcome;
  }
  let plan: Block;
  try {
    plan = planOf(module.start(), { within: [], before: [], after: [] }, module);
  } catch (error) {
    broken.push(...module.takeLines(), module.failureOf(error).line);
    return outcome;
  }
  around.push(...module.takeLines());
  runBlock(plan, {
    module,
    now: options.now,
    note: (test) => {
      tests.push(test);
      options.onTest?.(test);
    },
    noteAround: (lines) => around.push(...lines),
    noteBroken: (lines) => broken.push(...lines),
  });
  return outcome;
}

interface Surroundings {
  readonly within: readonly string[];
  readonly before: readonly number[];
  readonly after: readonly number[];
}

/** A hook applies to all tests of its block, even to those registered before it. */
function planOf(registered: readonly Registered[], outer: Surroundings, module: TestModule): Block {
  const hooks = (kind: Registered["kind"]): number[] =>
    registered.flatMap((item) => (item.kind === kind ? [item.index] : []));
  const { within } = outer;
  const own = {
    within,
    before: [...outer.before, ...hooks("beforeEach")],
    after: [...hooks("afterEach"), ...outer.after],
  };
  return {
    within,
    beforeAll: hooks("beforeAll"),
    afterAll: hooks("afterAll"),
    items: registered.flatMap((item): (Block | PlannedTest)[] => {
      if (item.kind === "test") return [{ ...own, ...item }];
      if (item.kind !== "describe") return [];
      return [planOf(module.describe(item.index), { ...own, within: [...within, item.name] }, module)];
    }),
  };
}

interface Running {
  readonly module: TestModule;
  readonly now: () => number;
  note(test: TestOutcome): void;
  noteAround(lines: readonly TestLine[]): void;
  noteBroken(lines: readonly TestLine[]): void;
}

/** Without its `beforeAll`, no test of a block can run. */
function runBlock(block: Block, running: Running): void {
  const { module } = running;
  const failure = callAll(block.beforeAll, module);
  const lines = module.takeLines();
  if (failure) {
    const why: TestLine[] = [...lines, ...hookLines("beforeAll", failure)];
    for (const test of testsIn(block))
      running.note({ ...named(test), passed: false, milliseconds: 0, lines: why });
    return;
  }
  running.noteAround(lines);
  for (const item of block.items) {
    if ("items" in item) runBlock(item, running);
    else running.note(runTest(item, running));
  }
  const late = callAll(block.afterAll, module);
  if (late) running.noteBroken([...module.takeLines(), ...hookLines("afterAll", late)]);
  else running.noteAround(module.takeLines());
}

function testsIn(block: Block): readonly PlannedTest[] {
  return block.items.flatMap((item) => ("items" in item ? testsIn(item) : [item]));
}

function runTest(test: PlannedTest, { module, now }: Running): TestOutcome {
  const early = callAll(test.before, module);
  if (early) {
    const lines = [...module.takeLines(), ...hookLines("beforeEach", early)];
    return { ...named(test), passed: false, milliseconds: 0, lines };
  }
  const since = now();
  const failure = module.call(test.index);
  const milliseconds = now() - since;
  const verdict = verdictOf(failure, test.shouldFail);
  const lines = [...module.takeLines(), ...(verdict ?? [])];
  const late = callAll(test.after, module);
  const after = [...module.takeLines(), ...(late ? hookLines("afterEach", late) : [])];
  return { ...named(test), passed: !verdict && !late, milliseconds, lines: [...lines, ...after] };
}

function named({ name, within }: PlannedTest): Pick<TestOutcome, "name" | "within"> {
  return { name, within };
}

/** Why a test fails; `undefined` when it passes. */
function verdictOf(failure: CallFailure | undefined, shouldFail: boolean): readonly TestLine[] | undefined {
  if (!failure) {
    if (!shouldFail) return undefined;
    return [{ level: "error", text: "Expected test to fail but it passed successfully!" }];
  }
  return shouldFail && !failure.stops ? undefined : [failure.line];
}

function callAll(hooks: readonly number[], module: TestModule): CallFailure | undefined {
  for (const index of hooks) {
    const failure = module.call(index);
    if (failure) return failure;
  }
  return undefined;
}

function hookLines(hook: string, { line }: CallFailure): readonly TestLine[] {
  return [{ level: "critical", text: `Unexpected error upon calling the hook ${hook}:` }, line];
}
