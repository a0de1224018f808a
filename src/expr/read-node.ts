import type { Expr } from './nodes/node.ts'

/** Names that lead to prototypes. Refused everywhere, even where they would be harmless. */
export function isForbidden(name: unknown): boolean {
  return name === '__proto__' || name === 'constructor' || name === 'prototype'
}

/** An own member of plain data, nothing inherited. Texts have a length and characters, lists a length and members. */
export function readMember(value: unknown, key: string | number): unknown {
  return value != null && Object.hasOwn(value, key) ? (value as { readonly [key: string]: unknown })[key] : undefined
}

/** The type of a value in words. */
export function kindOf(value: unknown): string {
  if (value == null) return value === null ? 'null' : 'missing'
  return Array.isArray(value) ? 'a list' : typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

/** A value in words: its path, if the node is one, and its type. */
export function describe(expr: Expr, value: unknown): string {
  const path = pathOf(expr)
  return path ? `\`${path}\`, which is ${kindOf(value)}` : kindOf(value)
}

function pathOf(expr: Expr): string {
  const { $expr, name, object, property } = Object(expr) as { readonly [field: string]: Expr }
  const inner = $expr === 'member' && typeof property === 'string' ? pathOf(object!) : ''
  return $expr === 'ident' ? (name as string) : inner && `${inner}.${property as string}`
}
