import { ts } from "ts-morph";

/** A place where code is handed over that runs later, where nothing catches what it throws. */
export interface Handler {
  /** `machine/compiler/asc.ts:20 once` */
  readonly place: string;
  /** Whether it cannot fail, or its failure reaches its owner. */
  readonly isSafe: boolean;
}

/** Methods that register a handler, by the index of the handler among their arguments. */
const registrations: Readonly<Record<string, number>> = {
  on: 1,
  once: 1,
  addListener: 1,
  prependListener: 1,
  prependOnceListener: 1,
  addEventListener: 1,
  setTimeout: 0,
  setInterval: 0,
  setImmediate: 0,
  queueMicrotask: 0,
  nextTick: 0,
  every: 1,
};
/** Functions of Node.js and of drivers that take a callback, wherever it stands. */
const callbacks: ReadonlySet<string> = new Set([
  "createServer",
  "request",
  "requestHttp",
  "requestHttps",
  "connect",
  "createConnection",
  "query",
  "end",
  "close",
  "scrypt",
  "randomBytes",
  "lookup",
  "pipeline",
  "write",
  "onNotification",
]);
/** What makes a handler safe: it passes failures on, or never rejects. */
const guards: ReadonlySet<string> = new Set(["guarded", "answerCalls"]);
/** Functions that a handler may call without a guard. None of them throws. */
const harmless: ReadonlySet<string> = new Set([
  "resolve",
  "reject",
  "abort",
  "destroy",
  "kill",
  "terminate",
  "interrupt",
  "closeAllConnections",
  "clearTimeout",
  "clearInterval",
  "removeEventListener",
  "remove",
  "off",
  "ref",
  "unref",
  "add",
  "delete",
  "push",
  "resume",
  "uncork",
  "slice",
  "test",
  "has",
  "get",
  "set",
  "now",
  "on",
  "once",
  "catch",
  "messageOf",
  "inBackground",
  "guarded",
  "reportFailure",
  // Of an answer of Fastify.
  "header",
  "headers",
  "type",
  "send",
  // Errors of ours.
  "Error",
  "OutgoingError",
  "StaleConnection",
  "LateError",
  "DatabaseError",
  "Problem",
  "UsageError",
]);

const worthReading = new RegExp(
  [
    `\\b(?:${Object.keys(registrations).join("|")}|then|finally)\\(`,
    `\\b(?:${[...callbacks].join("|")})\\([^;]*=>`,
    "\\bvoid \\w|new Promise\\b|\\.on[a-z]+ =",
  ].join("|"),
);
/** What makes an emitter whose event `error` ends the process without a listener. */
const emitters =
  /new (?:Worker|Socket|Readable|PassThrough|pg\.Pool|pg\.Client)\(|(?<![.\w])(?:spawn|createServer|createConnection|createReadStream|createWriteStream|request)\((?!\s*\w+\??:)\s*[^)\s]/;

/** Whether a file makes an emitter of errors and does not hear them, or hears only the first. */
export function leavesErrors(text: string): boolean {
  const isHeard = /\.on\(\s*"error"/.test(text);
  return (emitters.test(text) && !isHeard) || /\.once\(\s*"error"/.test(text);
}

/** All handlers of a file, and work that goes on without anything waiting for it. */
export function handlersOf(file: string, text: string): readonly Handler[] {
  // Reading the tree of every file would take seconds.
  if (!worthReading.test(text)) return [];
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const declared = declaredIn(source);
  const found: Handler[] = [];
  const note = (node: ts.Node, what: string, isSafe: boolean): void => {
    const line = source.getLineAndCharacterOfPosition(node.getStart()).line + 1;
    found.push({ place: `${file}:${line} ${what}`, isSafe });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node)) {
      const name = calledName(node);
      for (const handler of handlersIn(node, name)) note(node, name, isSafe(handler, declared, new Set()));
    }
    if (ts.isNewExpression(node) && node.expression.getText() === "Promise") {
      const [executor] = node.arguments ?? [];
      // What an asynchronous executor throws does not reject the promise.
      if (executor && isAsync(executor)) note(node, "new Promise", false);
    }
    if (ts.isBinaryExpression(node) && isHandlerProperty(node.left))
      note(node, node.left.getText(), isSafe(node.right, declared, new Set()));
    const left = leftAlone(node);
    if (left) note(node, calledName(left), isHarmlessCall(left, declared, new Set()));
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** Functions and methods of a file, by name. Of several with one name, none is known. */
type Declared = ReadonlyMap<string, ts.Node | undefined>;

function declaredIn(source: ts.SourceFile): Declared {
  const declared = new Map<string, ts.Node | undefined>();
  const add = (name: string, node: ts.Node): void => {
    declared.set(name, declared.has(name) ? undefined : node);
  };
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionDeclaration(node) && node.name) add(node.name.text, node);
    else if (ts.isMethodDeclaration(node) && ts.isPrivateIdentifier(node.name)) add(node.name.text, node);
    else if (ts.isVariableDeclaration(node) && ts.isIdentifier(node.name) && node.initializer)
      add(node.name.text, node.initializer);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return declared;
}

function calledName({ expression }: Pick<ts.CallExpression, "expression">): string {
  return ts.isPropertyAccessExpression(expression) ? expression.name.text : expression.getText();
}

function handlersIn(call: ts.CallExpression, name: string): readonly ts.Expression[] {
  const place = Object.hasOwn(registrations, name) ? registrations[name] : undefined;
  if (place !== undefined) {
    const handler = call.arguments[place];
    // `await once(socket, "close")` has no handler.
    if (!handler || ts.isLiteralExpression(handler)) return [];
    // Functions of our own have such names too.
    return place === 1 && !ts.isPropertyAccessExpression(call.expression) ? [] : [handler];
  }
  return callbacks.has(name) ? call.arguments.filter(isFunction) : [];
}

function isFunction(node: ts.Node): node is ts.ArrowFunction | ts.FunctionExpression {
  return ts.isArrowFunction(node) || ts.isFunctionExpression(node);
}

function isAsync(node: ts.Node): boolean {
  return (
    ts.canHaveModifiers(node) &&
    (ts.getModifiers(node) ?? []).some(({ kind }) => kind === ts.SyntaxKind.AsyncKeyword)
  );
}

/** `worker.onmessage`, `socket.onerror` */
function isHandlerProperty(node: ts.Node): node is ts.PropertyAccessExpression {
  return ts.isPropertyAccessExpression(node) && /^on[a-z]+$/.test(node.name.text);
}

/** A call whose promise nothing waits for: `void work()`, or `work().then(…)` as a statement. */
function leftAlone(node: ts.Node): ts.CallExpression | undefined {
  if (ts.isVoidExpression(node)) {
    const isStatement = ts.isExpressionStatement(node.parent) || ts.isArrowFunction(node.parent);
    return isStatement && ts.isCallExpression(node.expression) ? node.expression : undefined;
  }
  if (!ts.isExpressionStatement(node) || !ts.isCallExpression(node.expression)) return undefined;
  return ["then", "finally"].includes(calledName(node.expression)) ? node.expression : undefined;
}

/** Whether a handler cannot fail, or its failure reaches its owner. */
function isSafe(handler: ts.Node, declared: Declared, seen: Set<ts.Node>): boolean {
  if (seen.has(handler)) return true;
  seen.add(handler);
  if (ts.isCallExpression(handler)) return guards.has(calledName(handler));
  if (ts.isParenthesizedExpression(handler)) return isSafe(handler.expression, declared, seen);
  if (ts.isIdentifier(handler)) return isSafeName(handler.text, declared, seen);
  if (handler.kind === ts.SyntaxKind.UndefinedKeyword) return true;
  if (!isFunction(handler) && !ts.isFunctionDeclaration(handler) && !ts.isMethodDeclaration(handler))
    return false;
  return !isAsync(handler) && handler.body !== undefined && hasOnlyHarmless(handler.body, declared, seen);
}

function isSafeName(name: string, declared: Declared, seen: Set<ts.Node>): boolean {
  const own = declared.get(name);
  if (own && !ts.isIdentifier(own)) return isSafe(own, declared, seen);
  return harmless.has(name) || name === "undefined";
}

function hasOnlyHarmless(body: ts.Node, declared: Declared, seen: Set<ts.Node>): boolean {
  let isHarmless = true;
  const visit = (node: ts.Node): void => {
    if (ts.isThrowStatement(node) || ts.isAwaitExpression(node)) isHarmless = false;
    else if (ts.isNewExpression(node)) isHarmless &&= harmless.has(node.expression.getText());
    else if (ts.isCallExpression(node)) isHarmless &&= isHarmlessCall(node, declared, seen);
    if (isHarmless) ts.forEachChild(node, visit);
  };
  visit(body);
  return isHarmless;
}

function isHarmlessCall(call: ts.CallExpression, declared: Declared, seen: Set<ts.Node>): boolean {
  const { expression } = call;
  if (ts.isCallExpression(expression)) return guards.has(calledName(expression));
  const name = calledName(call);
  if (name === "then" || name === "finally") return isHandled(call, declared, seen);
  return harmless.has(name) || isSafeName(name, declared, seen);
}

/** Whether neither a promise nor a promise derived from it can fail: `work().then(resolve, reject)` */
function isHandled(call: ts.CallExpression, declared: Declared, seen: Set<ts.Node>): boolean {
  if (!call.arguments.every((handler) => isSafe(handler, declared, seen))) return false;
  if (calledName(call) === "then" && call.arguments.length === 2) return true;
  const { expression } = call;
  const before = ts.isPropertyAccessExpression(expression) ? expression.expression : expression;
  return ts.isCallExpression(before) && isHarmlessCall(before, declared, seen);
}
