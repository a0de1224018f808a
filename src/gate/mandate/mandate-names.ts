import { isRecord } from '../../core/index.ts'
import type { Json } from '../../core/index.ts'
import { isTagged, parseCondition } from '../../expr/index.ts'
import type { Expr, ExprNode } from '../../expr/index.ts'
import type { EffectKind } from '../../journal/index.ts'
import { comparedTexts, restrictedTo } from '../rules/compared-texts.ts'
import { pathsIn } from '../rules/expression-parts.ts'
import { isExpression } from '../rules/expressions.ts'
import { EFFECT_KINDS, namesKind } from '../rules/targets.ts'
import type { Mandate, Rule } from './mandate.ts'

/** Something that a mandate calls by a name: which field of it does, and the name or pattern. */
export interface NamedTarget {
  readonly field: string
  readonly kind: EffectKind
  readonly pattern: string
}

/** Parts of the input of tools that a mandate refers to, and these tools; every tool if they are not named. */
export interface NamedInput {
  readonly field: string
  readonly tools: readonly string[] | undefined
  /** The members on the way; `*` stands for any. */
  readonly path: readonly string[]
}

/** Every name in a mandate that must be one of something that there is. */
export function targetsIn(mandate: Mandate): readonly NamedTarget[] {
  const { allow = [], deny = [], grant = [], risks = {}, rates = [], content = [], flow = [], reveal = [] } = mandate
  const listed = (field: string, names: readonly string[]): NamedTarget[] =>
    names.map((name, index) => targetOf(`${field}[${index}]`, name))
  return [
    ...listed('allow', allow),
    ...listed('deny', deny),
    ...listed('grant', grant),
    ...Object.keys(risks).map((name) => targetOf(`risks[${JSON.stringify(name)}]`, name)),
    ...rates.map(({ tool }, index) => targetOf(`rates[${index}].tool`, tool)),
    ...content.flatMap(({ tools = [] }, index) => listed(`content[${index}].tools`, tools)),
    ...flow.flatMap(({ sink }, index) => [sink].flat().map((name) => targetOf(`flow[${index}].sink`, name))),
    ...reveal.flatMap(({ sink }, index) => [sink].flat().map((name) => targetOf(`reveal[${index}].sink`, name))),
    ...(mandate.rules ?? []).flatMap((rule, index) =>
      toolsOf(rule).map((name) => ({ field: `rules[${index}].when`, kind: 'tool' as const, pattern: name })),
    ),
  ]
}

/** Every part of an input that a mandate refers to. */
export function inputsIn({ rules = [], flow = [], reveal = [] }: Mandate): readonly NamedInput[] {
  return [
    ...rules.flatMap((rule, index) => inputsOfRule(rule, `rules[${index}].when`)),
    ...flow.flatMap(({ sink, path, unless }, index) => [
      ...pointers(sink, path, `flow[${index}].path`),
      ...pointers(sink, unless?.at, `flow[${index}].unless.at`),
    ]),
    ...reveal.flatMap(({ sink, path, where }, index) => [
      ...pointers(sink, path, `reveal[${index}].path`),
      ...pointers(sink, where?.at, `reveal[${index}].where.at`),
    ]),
  ]
}

function targetOf(field: string, name: string): NamedTarget {
  const kind = EFFECT_KINDS.find((one) => namesKind(name, one))
  return kind === undefined
    ? { field, kind: 'tool', pattern: name }
    : { field, kind, pattern: name.slice(kind.length + 1) }
}

function pointers(
  sink: string | readonly string[],
  path: string | readonly string[] | undefined,
  field: string,
): NamedInput[] {
  const tools = [sink].flat().filter((name) => targetOf(field, name).kind === 'tool')
  if (tools.length === 0 || path === undefined) return []
  return [path].flat().map((pointer) => ({
    field,
    tools,
    path:
      pointer === ''
        ? []
        : pointer
            .slice(1)
            .split('/')
            .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~')),
  }))
}

/** The names of tools that a rule compares with, negated or not. */
function toolsOf({ when }: Rule): readonly string[] {
  if (isExpression(when)) return comparedTexts(nodeOf(when), 'tool')
  return textsOf((when as { readonly [path: string]: Json })['tool'], ['eq', 'ne', 'in', 'notIn'])
}

function inputsOfRule({ when }: Rule, field: string): readonly NamedInput[] {
  if (isExpression(when)) {
    const node = nodeOf(when)
    const tools = restrictedTo(node, 'tool')
    return pathsIn(node).flatMap((path) => {
      const [root, ...members] = membersOf(path)
      return root === 'input' && members.length > 0 ? [{ field, tools, path: members }] : []
    })
  }
  const conditions = when as { readonly [path: string]: Json }
  const tools = textsOf(conditions['tool'], ['eq', 'in'])
  return Object.keys(conditions).flatMap((path) => {
    const [root, ...members] = path.split('.')
    const isInput = root === 'input' && members.length > 0
    return isInput
      ? [{ field: `${field}[${JSON.stringify(path)}]`, tools: tools.length === 0 ? undefined : tools, path: members }]
      : []
  })
}

/** The names in a condition: a text, or the operands of these tests. */
function textsOf(condition: Json | undefined, tests: readonly string[]): readonly string[] {
  if (typeof condition === 'string') return [condition]
  if (!isRecord(condition)) return []
  return tests.flatMap((test) => [condition[test] as Json].flat().filter((name) => typeof name === 'string'))
}

function nodeOf(when: string | ExprNode): ExprNode {
  return typeof when === 'string' ? parseCondition(when) : when
}

/** The members of a constant path, beginning with its root. */
function membersOf(path: Expr): readonly string[] {
  if (!isTagged(path)) return []
  const node = path as ExprNode
  if (node.$expr === 'ident') return [node.name]
  if (node.$expr !== 'member') return []
  const { property } = node
  const name =
    isTagged(property) && (property as ExprNode).$expr === 'literal' ? (property as { value: Json }).value : property
  return [...membersOf(node.object), typeof name === 'string' ? name : JSON.stringify(name)]
}
