import type { EffectKind } from '../../journal/index.ts'

const KINDS: { readonly [K in EffectKind]: true } = {
  model: true,
  embed: true,
  tool: true,
  agent: true,
  program: true,
  cell: true,
  graph: true,
  memory: true,
  database: true,
  prompt: true,
  question: true,
  sleep: true,
}

/** Every kind of effect. */
export const EFFECT_KINDS: readonly EffectKind[] = Object.keys(KINDS) as EffectKind[]

/** Whether a name is equal to the pattern, or begins with the part before its final `*`. */
export function matchesName(pattern: string, name: string): boolean {
  return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : pattern === name
}

/** Whether a name in one of a mandate's lists means this target: tools are named alone, all other kinds as `kind:name`. */
export function matchesTarget(pattern: string, kind: EffectKind, name: string): boolean {
  if (kind === 'tool' && matchesName(pattern, name)) return true
  return namesKind(pattern, kind) && matchesName(pattern.slice(kind.length + 1), name)
}

/** Whether a name in a list is about targets of that kind. */
export function namesKind(pattern: string, kind: EffectKind): boolean {
  return pattern.startsWith(kind) && pattern.charCodeAt(kind.length) === 58
}

/** The unambiguous name of a target in a mandate. */
export function targetName(kind: EffectKind, name: string): string {
  const isPlain = kind === 'tool' && !EFFECT_KINDS.some((other) => namesKind(name, other))
  return isPlain ? name : `${kind}:${name}`
}

/** A value for an error message, escaped and shortened: it may come from a model or a user. */
export function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.length > 80 ? `${value.slice(0, 80)}…` : value)
  if (Array.isArray(value)) return 'a list'
  return typeof value === 'object' && value !== null ? 'an object' : String(value)
}
