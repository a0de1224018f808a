import { expect, test } from 'vitest'
import { MandateError } from '../../src/core/index.ts'
import { checkExpr, compileExpr, parseCondition } from '../../src/expr/index.ts'
import { compileScript } from '../../src/vm/machine/script.fixture.ts'
import { inspect } from '../../src/vm/inspect.ts'
import { rotate } from '../rotation.ts'

/** What opens, stands inside and closes, so many times. */
function nested(open: string, inside: string, close: string = ''): (depth: number) => string {
  return (depth) => open.repeat(depth) + inside + close.repeat(depth)
}

/** What follows so many times. */
function after(first: string, again: string): (depth: number) => string {
  return (depth) => first + again.repeat(depth)
}

/** Every form of a script that nests or chains. */
const FORMS: Readonly<Record<string, (depth: number) => string>> = {
  'optional members': after('a', '?.b'),
  'optional calls': after('a', '?.()'),
  'optional items': after('a', '?.[0]'),
  'mixed chain': after('a', '?.b.c'),
  members: after('a', '.b'),
  items: after('a', '[0]'),
  calls: after('a', '()'),
  'method calls': after('a', '.b()'),
  'not null': after('a', '!'),
  casts: after('a', ' as x'),
  sums: after('1', '+1'),
  powers: after('1', '**1'),
  and: after('a', '&&a'),
  nullish: after('a', '??a'),
  sequence: after('1', ',1'),
  in: after('a', ' in a'),
  parentheses: nested('(', '1', ')'),
  lists: nested('[', '', ']'),
  spreads: nested('[...', 'a', ']'),
  objects: (depth) => `x=${nested('{a:', '1', '}')(depth)}`,
  blocks: nested('{', '', '}'),
  functions: nested('(()=>', '1', ')'),
  arrows: (depth) => `x=${nested('()=>', '1')(depth)}`,
  'async arrows': (depth) => `x=${nested('async ()=>', '1')(depth)}`,
  declarations: nested('function f(){', '', '}'),
  defaults: nested('((a=', '1', ')=>1)'),
  not: nested('!', 'a'),
  minus: nested('- ', 'a'),
  typeof: nested('typeof ', 'a'),
  await: nested('await ', 'a'),
  delete: nested('delete ', 'a.b'),
  void: nested('void ', '1'),
  new: nested('new ', 'Map'),
  conditions: nested('a?1:', '1'),
  'left conditions': nested('a?', '1', ':1'),
  assignments: (depth) => `let a;${nested('a=', '1')(depth)}`,
  'logical assignments': (depth) => `let a;${nested('a??=', '1')(depth)}`,
  if: nested('if(a){', '', '}'),
  else: nested('if(a){}else ', '{}'),
  for: nested('for(;;)', ';'),
  while: nested('while(a)', ';'),
  do: nested('do ', ';', 'while(a)'),
  try: nested('try{', '', '}catch{}'),
  switch: nested('switch(a){case 1:', '', '}'),
  labels: (depth) => `${Array.from({ length: depth }, (_, at) => `l${at}:`).join('')};`,
  templates: nested('`${', '1', '}`'),
  'list patterns': (depth) => `const ${nested('[', 'a', ']')(depth)}=b`,
  'object patterns': (depth) => `const ${nested('{a:', 'b', '}')(depth)}=c`,
  'type arguments': (depth) => `let a: ${nested('A<', 'x', '>')(depth)} = 1`,
  'type parentheses': (depth) => `let a: ${nested('(', 'x', ')')(depth)} = 1`,
  'type lists': (depth) => `let a: ${after('x', '[]')(depth)}`,
  'type objects': (depth) => `let a: ${nested('{b:', 'x', '}')(depth)}`,
  'type functions': (depth) => `let a: ${nested('()=>', 'x')(depth)}`,
  'type conditions': (depth) => `type A = ${nested('a extends b ? c : ', 'd')(depth)}`,
  'type prefixes': (depth) => `let a: ${nested('keyof ', 'x')(depth)}`,
  'type constructors': (depth) => `let a: ${nested('new ', '()=>x')(depth)}`,
  'type unions': (depth) => `let a: ${after('x', '|x')(depth)}`,
  groups: (depth) => `/${nested('(', '', ')')(depth)}/`,
  statements: nested('1;', ''),
}

const DEPTHS = [100, 1_000, 5_000, 20_000, 100_000]

/** What a walk threw, unless it was typed. */
function untyped(walk: () => unknown): string | undefined {
  try {
    walk()
    return undefined
  } catch (error) {
    return error instanceof MandateError ? undefined : `${(error as Error).name}: ${(error as Error).message}`
  }
}

test.each(Object.entries(FORMS))('a script that nests is read or refused with a type: %s', (_, make) => {
  for (const depth of DEPTHS) expect([depth, untyped(() => compileScript(make(depth)))]).toEqual([depth, undefined])
})

/** Nodes of programs, each with the fields in which another can stand. */
const NODES: Readonly<Record<string, (inner: unknown) => unknown>> = {
  member: (inner) => ({ $expr: 'member', object: inner, property: 'a' }),
  index: (inner) => ({ $expr: 'member', object: { $expr: 'ident', name: 'a' }, property: inner, computed: true }),
  left: (inner) => ({ $expr: 'binary', op: '+', left: inner, right: 1 }),
  right: (inner) => ({ $expr: 'binary', op: '+', left: 1, right: inner }),
  unary: (inner) => ({ $expr: 'unary', op: '!', argument: inner }),
  logical: (inner) => ({ $expr: 'logical', op: '&&', left: inner, right: 1 }),
  condition: (inner) => ({ $expr: 'conditional', test: inner, consequent: 1, alternate: 2 }),
  alternate: (inner) => ({ $expr: 'conditional', test: 1, consequent: 1, alternate: inner }),
  list: (inner) => ({ $expr: 'array', elements: [inner] }),
  object: (inner) => ({ $expr: 'object', properties: [{ key: 'a', value: inner }] }),
  template: (inner) => ({ $expr: 'template', parts: ['', ''], expressions: [inner] }),
  call: (inner) => ({ $expr: 'call', callee: 'a', arguments: [inner] }),
  method: (inner) => ({ $expr: 'methodCall', object: inner, method: 'a', arguments: [] }),
  chain: (inner) => ({ $expr: 'chain', expression: inner }),
  bare: (inner) => [inner],
  record: (inner) => ({ a: inner }),
}

const STEPS: Readonly<Record<string, (inner: unknown) => unknown>> = {
  seq: (inner) => ({ op: 'seq', steps: [inner] }),
  if: (inner) => ({ op: 'if', condition: true, then: [inner] }),
  while: (inner) => ({ op: 'while', condition: false, body: [inner] }),
  try: (inner) => ({ op: 'try', try: [inner] }),
  scope: (inner) => ({ op: 'scope', steps: [inner] }),
  map: (inner) => ({ op: 'map', items: [], as: 'x', steps: [inner] }),
  labeled: (inner) => ({ op: 'labeled', label: 'l', body: inner }),
  block: (inner) => ({ op: 'block', body: [inner] }),
}

function deep(make: (inner: unknown) => unknown, depth: number, inner: unknown): unknown {
  let made = inner
  for (let at = 0; at < depth; at += 1) made = make(made)
  return made
}

const programs = [
  ...Object.entries(NODES).map(([name, make]) => ({
    name,
    make: (depth: number) => [{ op: 'return', value: deep(make, depth, 1) }],
  })),
  ...Object.entries(STEPS).map(([name, make]) => ({
    name,
    make: (depth: number) => [deep(make, depth, { op: 'varSet', key: 'a', value: 1 })],
  })),
]

test.each(programs)('a program that nests is inspected or refused with a type: $name', ({ make }) => {
  for (const depth of DEPTHS)
    for (const mode of [undefined, 'script']) {
      const program = { mandate: 1, op: 'seq', ...(mode === undefined ? {} : { mode }), steps: make(depth) }
      expect([depth, mode, untyped(() => inspect(program as never))]).toEqual([depth, mode, undefined])
    }
})

test.each(Object.entries(NODES))('an expression that nests is checked or refused with a type: %s', (_, make) => {
  for (const depth of DEPTHS) {
    const expr = deep(make, depth, 1)
    expect([depth, untyped(() => checkExpr(expr))]).toEqual([depth, undefined])
    expect([depth, untyped(() => compileExpr(expr as never))]).toEqual([depth, undefined])
  }
})

const conditions = rotate(
  Object.entries(FORMS).flatMap(([name, make]) => DEPTHS.map((depth) => ({ name, make, depth }))),
  'conditions that nest',
)

test.each(conditions)('a condition that nests is parsed or refused with a type: $name, $depth', ({ make, depth }) => {
  expect(untyped(() => parseCondition(make(depth)))).toBeUndefined()
})
