// Functions with a body as the TypeScript compiler, luaparse and mvdan-sh read them: who is right where ctags and Callscape differ.
//
//     node second_reader.mjs < LIST_OF_FILES
//
// One JSON line a file: its path and [name, first line, last line] of each function. Files of which the reader says
// that they are broken, and those in other languages, give no line. Needs `npm install typescript@5 luaparse mvdan-sh` beside
// it or in a folder that NODE_PATH names.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const require = createRequire(process.env.NODE_PATH ? process.env.NODE_PATH + "/" : import.meta.url);
const load = (name) => { try { return require(name); } catch { return null; } };
const ts = load("typescript"), lua = load("luaparse"), sh = load("mvdan-sh");

function ofTypeScript(path, text) {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  if (source.parseDiagnostics.length > 0) return null;
  const functions = [];
  const line = (at) => source.getLineAndCharacterOfPosition(at).line + 1;
  const nameOf = (node) => {
    if (node.name) return node.name.getText(source).replace(/^["'#]|["']$/g, "");
    // An expression has the name of what it is assigned to.
    let parent = node.parent;
    while (parent && (ts.isParenthesizedExpression(parent) || ts.isAsExpression(parent))) parent = parent.parent;
    if (!parent) return null;
    if (ts.isVariableDeclaration(parent) || ts.isPropertyAssignment(parent) || ts.isPropertyDeclaration(parent))
      return parent.name.getText(source).replace(/^["'#]|["']$/g, "");
    if (ts.isBinaryExpression(parent) && parent.operatorToken.kind === ts.SyntaxKind.EqualsToken)
      return parent.left.getText(source).split(".").pop();
    return null;
  };
  const visit = (node) => {
    if (ts.isFunctionLike(node) && node.body) {
      const name = ts.isConstructorDeclaration(node) ? "constructor" : nameOf(node);
      if (name) functions.push([name, line(node.getStart(source)), line(node.end)]);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return functions;
}

function ofLua(text) {
  const functions = [];
  const last = (node) => !node ? null : node.type === "Identifier" ? node.name
    : node.type === "MemberExpression" ? node.identifier.name
    : node.type === "StringLiteral" ? (node.value ?? node.raw.slice(1, -1)) : null;
  const add = (name, node) => { if (name) functions.push([name, node.loc.start.line, node.loc.end.line]); };
  const visit = (node) => {
    if (Array.isArray(node)) return node.forEach(visit);
    if (!node || typeof node.type !== "string") return;
    if (node.type === "FunctionDeclaration" && node.identifier) add(last(node.identifier), node);
    if (node.type === "TableKeyString" && node.value.type === "FunctionDeclaration") add(node.key.name, node);
    if (node.type === "TableKey" && node.value.type === "FunctionDeclaration") add(last(node.key), node);
    if (node.type === "AssignmentStatement" || node.type === "LocalStatement")
      node.init.forEach((value, at) => value.type === "FunctionDeclaration" && add(last(node.variables[at]), node));
    for (const key of Object.keys(node)) if (key !== "loc") visit(node[key]);
  };
  visit(lua.parse(text, { locations: true, luaVersion: "LuaJIT", encodingMode: "pseudo-latin1" }));
  return functions;
}

function ofShell(text) {
  const functions = [];
  const visit = (node) => {
    if (node && sh.syntax.NodeType(node) === "FuncDecl")
      functions.push([node.Name.Value, node.Pos().Line(), node.End().Line()]);
    return true;
  };
  sh.syntax.Walk(sh.syntax.NewParser().Parse(text, ""), visit);
  return functions;
}

for (const path of readFileSync(0, "utf8").split("\n").filter(Boolean)) {
  try {
    const text = readFileSync(path, /\.lua$/.test(path) ? "latin1" : "utf8");
    const functions = /\.lua$/.test(path) ? lua && ofLua(text)
      : /\.([cm]?[jt]s|[jt]sx)$/.test(path) ? ts && ofTypeScript(path, text)
      : /\.(sh|bash|bats)$/.test(path) ? sh && ofShell(text) : null;
    if (functions) console.log(JSON.stringify([path, functions]));
  } catch {
    // What the reader cannot read decides nothing.
  }
}
