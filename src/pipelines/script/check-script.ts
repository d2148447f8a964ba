import type { ts } from "ts-morph";

/** The code of a diagnostic about a script. */
export type ScriptFaultCode = "script-syntax" | "script-forbidden" | "script-entry";

/** Why a script cannot be used. Positions are UTF-16 units in its text. */
export interface ScriptFault {
  readonly code: ScriptFaultCode;
  readonly message: string;
  /** The way out. */
  readonly hint?: string;
  readonly start: number;
  readonly end: number;
}

const rowWay = "use the columns of the row";
const outsideWay = "a script reaches nothing outside; use a handler";
const removeWay = "remove it";

/** Names that other places define for scripts, and this one does not, with the way out. */
const missing: ReadonlyMap<string, string> = new Map([
  ["console", removeWay],
  ["process", removeWay],
  ["require", "write everything in the script itself"],
  ["module", "write everything in the script itself"],
  ["exports", "write everything in the script itself"],
  ["Buffer", "use Uint8Array"],
  ["TextEncoder", "use Uint8Array"],
  ["TextDecoder", "use Uint8Array"],
  ["fetch", outsideWay],
  ["XMLHttpRequest", outsideWay],
  ["WebSocket", outsideWay],
  ["crypto", "compute the value with SQL, or use a handler"],
  ["performance", rowWay],
  ["setTimeout", removeWay],
  ["setInterval", removeWay],
  ["setImmediate", removeWay],
  ["queueMicrotask", removeWay],
]);

/** Checks a script that parses: for forbidden parts, and for a function `invoke` that returns rows. */
export function checkScript(typescript: typeof ts, file: ts.SourceFile): readonly ScriptFault[] {
  const faults: ScriptFault[] = [];
  const declared = namesDeclared(typescript, file);
  const forbid = (node: ts.Node, message: string, hint: string): void => {
    faults.push({ code: "script-forbidden", message, hint, start: node.getStart(file), end: node.getEnd() });
  };
  const visit = (node: ts.Node): void => {
    const { isIdentifier, isNewExpression, isCallExpression, isPropertyAccessExpression } = typescript;
    if (isModulePart(typescript, node))
      forbid(
        node.getFirstToken(file) ?? node,
        "a script is not a module",
        "write function invoke without import and export",
      );
    else if (isCallExpression(node) && node.expression.kind === typescript.SyntaxKind.ImportKeyword)
      forbid(node, "a script cannot import anything", "write everything in the script itself");
    else if (isPropertyAccessExpression(node) && isChance(node, file, declared))
      forbid(node, `${node.getText(file)} gives another result each time`, rowWay);
    else if ((isNewExpression(node) || isCallExpression(node)) && isNow(node, file, declared))
      forbid(node, "a date without arguments gives another result each time", rowWay);
    else if (isIdentifier(node) && isMissing(typescript, node, declared))
      forbid(node, `scripts have no ${node.text}`, missing.get(node.text) ?? removeWay);
    typescript.forEachChild(node, visit);
  };
  visit(file);
  return [...faults, ...checkEntry(typescript, file)];
}

function isModulePart(typescript: typeof ts, node: ts.Node): boolean {
  if (typescript.isImportDeclaration(node) || typescript.isExportDeclaration(node)) return true;
  if (typescript.isExportAssignment(node) || typescript.isImportEqualsDeclaration(node)) return true;
  const isExported = (one: ts.ModifierLike): boolean => one.kind === typescript.SyntaxKind.ExportKeyword;
  return typescript.canHaveModifiers(node) && (typescript.getModifiers(node) ?? []).some(isExported);
}

const chance: ReadonlySet<string> = new Set(["Math.random", "Date.now"]);

function isChance(node: ts.Node, file: ts.SourceFile, declared: ReadonlySet<string>): boolean {
  const text = node.getText(file);
  return chance.has(text) && !declared.has(text.split(".")[0] ?? "");
}

/** Whether an expression creates a date from the current time. */
function isNow(
  { expression, arguments: given }: ts.NewExpression | ts.CallExpression,
  file: ts.SourceFile,
  declared: ReadonlySet<string>,
): boolean {
  return expression.getText(file) === "Date" && !declared.has("Date") && !given?.length;
}

/** Whether a name is used that the script does not declare, other than to query its type. */
function isMissing(typescript: typeof ts, node: ts.Identifier, declared: ReadonlySet<string>): boolean {
  if (!missing.has(node.text) || declared.has(node.text)) return false;
  const { parent } = node;
  const isMember =
    (typescript.isPropertyAccessExpression(parent) && parent.name === node) ||
    (typescript.isPropertyAssignment(parent) && parent.name === node) ||
    (typescript.isPropertySignature(parent) && parent.name === node) ||
    (typescript.isPropertyDeclaration(parent) && parent.name === node) ||
    (typescript.isMethodDeclaration(parent) && parent.name === node) ||
    (typescript.isBindingElement(parent) && parent.propertyName === node);
  return !isMember && !typescript.isTypeOfExpression(parent) && !typescript.isTypeReferenceNode(parent);
}

/** All names that declarations of the script introduce, wherever they are. */
function namesDeclared(typescript: typeof ts, file: ts.SourceFile): ReadonlySet<string> {
  const names = new Set<string>();
  const visit = (node: ts.Node): void => {
    const isDeclaration =
      typescript.isVariableDeclaration(node) ||
      typescript.isParameter(node) ||
      typescript.isBindingElement(node) ||
      typescript.isFunctionDeclaration(node) ||
      typescript.isClassDeclaration(node);
    if (isDeclaration && node.name && typescript.isIdentifier(node.name)) names.add(node.name.text);
    typescript.forEachChild(node, visit);
  };
  visit(file);
  return names;
}

const entryHint = "write function invoke(data) { return { … }; }";

function checkEntry(typescript: typeof ts, file: ts.SourceFile): readonly ScriptFault[] {
  const entry = file.statements.map((statement) => entryOf(typescript, statement)).find(Boolean);
  const fault = (message: string, hint: string, at?: ts.Node): readonly ScriptFault[] => [
    { code: "script-entry", message, hint, start: at?.getStart(file) ?? 0, end: at?.getEnd() ?? 0 },
  ];
  if (!entry) return fault("the script has no function invoke", entryHint);
  const { name, made } = entry;
  const isAsync = typescript.canHaveModifiers(made)
    ? (typescript.getModifiers(made) ?? []).some(({ kind }) => kind === typescript.SyntaxKind.AsyncKeyword)
    : false;
  if (isAsync)
    return fault("invoke is async, but a script cannot wait", "write function invoke without async", name);
  const isGenerator = typescript.isFunctionDeclaration(made) && made.asteriskToken !== undefined;
  return isGenerator ? fault("invoke is a generator, but gives one row or null", entryHint, name) : [];
}

/** The name `invoke` in a statement that declares it, and its value. */
function entryOf(
  typescript: typeof ts,
  statement: ts.Statement,
): { readonly name: ts.Node; readonly made: ts.Node } | undefined {
  if (typescript.isFunctionDeclaration(statement) && statement.name?.text === "invoke")
    return { name: statement.name, made: statement };
  if (!typescript.isVariableStatement(statement)) return undefined;
  for (const { name, initializer } of statement.declarationList.declarations)
    if (typescript.isIdentifier(name) && name.text === "invoke" && initializer)
      return { name, made: initializer };
  return undefined;
}
