import type { ForOf, LetSt, Loop, St } from '../ir-statements.ts'
import type { Fields, LowerStep } from '../language.ts'
import type { Lowering } from '../lower/lowering.ts'
import { lowerFunction } from './lower-script-exprs.ts'

function kindOf(step: Fields, low: Lowering): LetSt['kind'] {
  const kind = low.text(step, 'kind')
  if (kind !== 'let' && kind !== 'const' && kind !== 'var') low.fail("`kind` is 'let', 'const' or 'var'.")
  if (kind === 'var') low.usesVar = true
  return kind
}

const label = (step: Fields, low: Lowering): string | undefined =>
  Object.hasOwn(step, 'label') && step['label'] !== undefined ? low.text(step, 'label') : undefined

function loop(step: Fields, low: Lowering, parts: Partial<Loop>): St[] {
  const test = low.optional(step, 'condition')
  return [
    {
      k: 'loop',
      init: [],
      update: undefined,
      testsLast: false,
      labels: [],
      ...parts,
      test,
      body: low.block(step, 'body'),
    },
  ]
}

function forLoop(step: Fields, low: Lowering): St[] {
  const init = Object.hasOwn(step, 'init') && step['init'] !== undefined ? low.steps(step, 'init') : []
  return loop(step, low, { init, update: low.optional(step, 'update') })
}

function through(step: Fields, low: Lowering, field: 'items' | 'object'): ForOf[] {
  return [
    {
      k: 'forof',
      kind: kindOf(step, low),
      name: low.text(step, 'name'),
      items: low.expr(step, field),
      ofKeys: field === 'object',
      isAwait: low.flag(step, 'await'),
      body: low.block(step, 'body'),
      labels: [],
    },
  ]
}

function labeled(step: Fields, low: Lowering): St[] {
  const name = low.text(step, 'label')
  const inner = low.within('body', () => low.step(step['body']))
  const [only] = inner
  if (only === undefined || inner.length > 1) low.fail('a label stands before one statement.')
  const body = only.k === 'loop' || only.k === 'forof' ? { ...only, labels: [...only.labels, name] } : only
  // Several labels may precede one loop.
  if (only.k === 'labeled' && (only.body.k === 'loop' || only.body.k === 'forof'))
    return [
      { k: 'labeled', label: name, body: { ...only, body: { ...only.body, labels: [...only.body.labels, name] } } },
    ]
  return [{ k: 'labeled', label: name, body }]
}

function attempt(step: Fields, low: Lowering): St[] {
  const has = (field: string): boolean => Object.hasOwn(step, field) && step[field] !== undefined
  if (!has('catch') && !has('finally')) low.fail('`try` needs `catch` or `finally`.')
  return [
    {
      k: 'try',
      block: low.block(step, 'try'),
      handler: has('catch') ? low.block(step, 'catch') : undefined,
      param: has('param') ? { k: 'var', name: low.text(step, 'param') } : undefined,
      opParam: undefined,
      finalizer: has('finally') ? low.block(step, 'finally') : undefined,
    },
  ]
}

function switchOf(step: Fields, low: Lowering): St[] {
  const cases = low.list(step, 'cases', (item) => {
    const fields = low.record(item)
    return { test: low.optional(fields, 'test'), body: low.steps(fields, 'body') }
  })
  if (cases.filter((one) => one.test === undefined).length > 1) low.fail('a switch has one default.')
  return [{ k: 'switch', value: low.expr(step, 'value'), cases }]
}

/** Lowering of script statements. */
export const LOWER_SCRIPT_STEPS: readonly (readonly [string, LowerStep])[] = [
  [
    'let',
    (step, low) => [
      { k: 'let', kind: kindOf(step, low), name: low.text(step, 'name'), value: low.optional(step, 'value') },
    ],
  ],
  ['function', (step, low) => [{ k: 'function', fn: lowerFunction(step, low) }]],
  ['expr', (step, low) => [{ k: 'expr', value: low.expr(step, 'value') }]],
  ['block', (step, low) => [low.block(step, 'body')]],
  [
    'if',
    (step, low) => {
      const otherwise = Object.hasOwn(step, 'else') && step['else'] !== undefined ? low.block(step, 'else') : undefined
      return [{ k: 'if', test: low.expr(step, 'condition'), then: low.block(step, 'then'), otherwise }]
    },
  ],
  ['while', (step, low) => loop(step, low, {})],
  ['doWhile', (step, low) => loop(step, low, { testsLast: true })],
  ['for', forLoop],
  ['forOf', (step, low) => through(step, low, 'items')],
  ['forIn', (step, low) => through(step, low, 'object')],
  ['switch', switchOf],
  ['break', (step, low) => [{ k: 'exit', kind: 'break', label: label(step, low) }]],
  ['continue', (step, low) => [{ k: 'exit', kind: 'continue', label: label(step, low) }]],
  ['labeled', labeled],
  ['throw', (step, low) => [{ k: 'throw', value: low.expr(step, 'value') }]],
  ['try', attempt],
  ['return', (step, low) => [{ k: 'return', value: low.optional(step, 'value') }]],
]
