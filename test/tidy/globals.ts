import type { Program } from 'oxc-parser'
import { type Node, childrenOf } from './walk.ts'

/** A name that no scope of the file declares: something of the platform. */
export interface GlobalUse {
  readonly name: string
  readonly node: Node
  /** The nodes around it, outermost first. */
  readonly ancestors: readonly Node[]
}

/** Finds every use of a global as a value. Types do not count: naming `typeof fetch` touches nothing. */
export function findGlobals(program: Program): GlobalUse[] {
  return globalsIn(program, '', [], [])
}

type Scopes = readonly ReadonlySet<string>[]

function globalsIn(node: Node, key: string, ancestors: readonly Node[], scopes: Scopes): GlobalUse[] {
  if (isTypeOnly(node)) return []
  if (node.type === 'Identifier') {
    const isGlobal = isReference(key, ancestors.at(-1)) && !scopes.some((scope) => scope.has(node.name))
    return isGlobal ? [{ name: node.name, node, ancestors }] : []
  }
  const declared = declaredIn(node)
  const inner = declared.length > 0 ? [...scopes, new Set(declared)] : scopes
  return childrenOf(node).flatMap((one) => globalsIn(one.child, one.key, [...ancestors, node], inner))
}

const transparent = new Set([
  'TSAsExpression',
  'TSSatisfiesExpression',
  'TSNonNullExpression',
  'TSTypeAssertion',
  'TSInstantiationExpression',
  'TSExportAssignment',
])

function isTypeOnly(node: Node): boolean {
  return node.type.startsWith('TS') && !transparent.has(node.type)
}

/** False for names that are only labels: keys, members after a dot, specifiers of imports and exports. */
function isReference(key: string, parent: Node | undefined): boolean {
  switch (parent?.type) {
    case 'MemberExpression':
      return key === 'object' || parent.computed
    case 'Property':
    case 'MethodDefinition':
    case 'PropertyDefinition':
    case 'AccessorProperty':
      return key !== 'key' || parent.computed
    case 'ImportSpecifier':
    case 'ImportDefaultSpecifier':
    case 'ImportNamespaceSpecifier':
    case 'ExportSpecifier':
    case 'ExportAllDeclaration':
    case 'MetaProperty':
    case 'LabeledStatement':
    case 'BreakStatement':
    case 'ContinueStatement':
      return false
    default:
      return true
  }
}

/** The names that a node declares for itself and everything below it. */
function declaredIn(node: Node): string[] {
  switch (node.type) {
    case 'Program':
    case 'BlockStatement':
    case 'StaticBlock':
      return node.body.flatMap((statement) => declaredBy(statement))
    case 'SwitchStatement':
      return node.cases.flatMap((one) => one.consequent.flatMap((statement) => declaredBy(statement)))
    case 'FunctionDeclaration':
    case 'FunctionExpression':
    case 'ArrowFunctionExpression':
      return [...('id' in node ? boundBy(node.id) : []), ...node.params.flatMap((param) => boundBy(param))]
    case 'ForStatement':
      return node.init === null ? [] : declaredBy(node.init)
    case 'ForInStatement':
    case 'ForOfStatement':
      return declaredBy(node.left)
    case 'CatchClause':
      return boundBy(node.param)
    case 'ClassDeclaration':
    case 'ClassExpression':
      return boundBy(node.id)
    default:
      return []
  }
}

function declaredBy(statement: Node): string[] {
  switch (statement.type) {
    case 'VariableDeclaration':
      return statement.declarations.flatMap((one) => boundBy(one.id))
    case 'FunctionDeclaration':
    case 'ClassDeclaration':
      return boundBy(statement.id)
    case 'ImportDeclaration':
      return statement.specifiers.map((specifier) => specifier.local.name)
    case 'ExportNamedDeclaration':
    case 'ExportDefaultDeclaration':
      return statement.declaration ? declaredBy(statement.declaration) : []
    default:
      return []
  }
}

/** The names in a binding pattern. */
function boundBy(pattern: Node | null): string[] {
  switch (pattern?.type) {
    case 'Identifier':
      return [pattern.name]
    case 'ObjectPattern':
      return pattern.properties.flatMap((part) => boundBy((part.type === 'Property' ? part.value : part) as Node))
    case 'ArrayPattern':
      return pattern.elements.flatMap((part) => boundBy(part))
    case 'AssignmentPattern':
      return boundBy(pattern.left)
    case 'RestElement':
      return boundBy(pattern.argument)
    default:
      return []
  }
}
