import { type } from 'arktype'
import * as v from 'valibot'
import { describe, expect, expectTypeOf, test } from 'vitest'
import { z } from 'zod'
import { defineAtom } from '../atoms/define-atom.ts'
import { newBuilder } from './builder.ts'
import { program as Agent, program } from './program.ts'
import { s } from './schema.ts'

const steps = (chain: { toJSON(): object }): unknown => (chain.toJSON() as { steps: unknown }).steps

describe('a chain', () => {
  test('becomes one program with its steps in order and what it takes', () => {
    const chain = program
      .take(s.object({ n: s.number }))
      .varSet({ key: 'a', value: 1 })
      .len({ list: [1] })
      .as('n')
    expect(chain.toJSON()).toEqual({
      mandate: 1,
      op: 'seq',
      inputSchema: {
        type: 'object',
        properties: { n: { type: 'number' } },
        required: ['n'],
        additionalProperties: false,
      },
      steps: [
        { op: 'varSet', key: 'a', value: 1 },
        { op: 'len', list: [1], result: 'n' },
      ],
    })
    expect(JSON.parse(JSON.stringify(chain))).toEqual(chain.toJSON())
  })

  test('gives a copy, which nobody can reach the chain through', () => {
    const value = { deep: [1] }
    const chain = program.take().varSet({ key: 'a', value })
    value.deep.push(2)
    ;(chain.toJSON().steps as unknown[]).push('more')
    expect(steps(chain)).toEqual([{ op: 'varSet', key: 'a', value: { deep: [1] } }])
  })

  test('each entry starts a new one', () => {
    program.take().varSet({ key: 'a', value: 1 })
    expect(steps(program.take())).toEqual([])
  })

  test('a block counts whether it returns its builder or not', () => {
    const body = { op: 'varSet', key: 'a', value: 1 }
    expect(steps(program.scope((b) => b.varSet({ key: 'a', value: 1 })))).toEqual([{ op: 'scope', steps: [body] }])
    expect(
      steps(
        program.scope((b) => {
          b.varSet({ key: 'a', value: 1 })
        }),
      ),
    ).toEqual([{ op: 'scope', steps: [body] }])
  })

  test.each([
    ['a name without a step', () => program.take().as('x')],
    ['a name that is none', () => program.take().len({ list: [] }).as('a b')],
    ['take in the middle', () => program.varSet({ key: 'a', value: 1 }).take()],
    ['a block that is no function', () => program.scope('x' as never)],
    ['a function in a step', () => program.varSet({ key: 'a', value: () => 1 })],
    ['a return of nothing', () => program.return({})],
    ['an atom that is not there', () => (program as unknown as { htpFetch(): unknown }).htpFetch()],
  ])('%s is refused with what to do', (_, build) => expect(build).toThrow(/\w{3}/))

  test('a name that is nearly right is told', () => {
    expect(() => (program as unknown as { httpFech(): unknown }).httpFech()).toThrow('httpFetch')
  })
})

describe('names', () => {
  test('a text in the place of items, and in vars, is the path of a variable', () => {
    const items = { $expr: 'ident', name: 'items' }
    expect(steps(program.map('items', 'x', (b) => b))).toEqual([{ op: 'map', items, as: 'x', steps: [] }])
    expect(steps(program.find('order.items', 'x', 'x > min', { min: 'args.min' }))).toMatchObject([
      {
        items: { $expr: 'member', object: { $expr: 'ident', name: 'order' }, property: 'items' },
        condition: {
          $expr: 'binary',
          op: '>',
          left: { $expr: 'ident', name: 'x' },
          right: { $kind: 'arg', path: 'min' },
        },
      },
    ])
  })

  test('a text is a path where no text can be meant, and a text everywhere else', () => {
    const chain = program
      .push({ list: 'xs', item: 'xs' })
      .merge({ a: 'left', b: { x: 1 } })
      .split({ str: 'xs', sep: ',' })
    expect(steps(chain)).toEqual([
      { op: 'push', list: { $expr: 'ident', name: 'xs' }, item: 'xs' },
      { op: 'merge', a: { $expr: 'ident', name: 'left' }, b: { x: 1 } },
      { op: 'split', str: 'xs', sep: ',' },
    ])
  })

  test('val and args make references', () => {
    expect(Agent.val('a.b[0]')).toEqual({
      $expr: 'member',
      object: { $expr: 'member', object: { $expr: 'ident', name: 'a' }, property: 'b' },
      property: 0,
      computed: true,
    })
    expect(Agent.args('user.id')).toEqual({ $kind: 'arg', path: 'user.id' })
    expect(() => Agent.val('no path')).toThrow('not a path')
  })

  test('aliases are replaced by what they stand for', () => {
    expect(steps(program.while('n > 0 && !done', { n: 'count.left', done: 'done' }, (b) => b))).toMatchObject([
      {
        condition: {
          $expr: 'logical',
          left: { left: { $expr: 'member', property: 'left' } },
          right: { argument: { name: 'done' } },
        },
      },
    ])
  })

  test('a name that is not in vars, and a condition that is none, are errors when the program is built', () => {
    expect(() => program.if('a > b', { a: 'a' }, (b) => b)).toThrow('"b"')
    expect(() => program.if('a > > b', { a: 'a', b: 'b' }, (b) => b)).toThrow(/5|column|>/)
  })
})

describe('schemas', () => {
  const shape = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] }

  test.each([
    ['zod', z.object({ n: z.number() })],
    ['ArkType', type({ n: 'number' })],
    ['JSON Schema', shape],
    ['s', s.object({ n: s.number })],
  ])('what a program takes can be said with %s', (_, schema) => {
    expect(program.take(schema as never).toJSON()).toMatchObject({ inputSchema: shape })
  })

  test('a schema that JSON Schema cannot say is refused for a program, and works for an atom', async () => {
    const schema = v.object({ n: v.number(), when: v.optional(v.date()) })
    expect(() => program.take(schema as never)).toThrow('JSON Schema')
    const atom = defineAtom('valibot', schema, v.number(), ({ n }) => n)
    expect(await atom.checkInput({ n: 'x' })).toContain('n')
    expect(await atom.checkInput({ n: 1 })).toBeUndefined()
  })

  test('everything that `s.any.optional` leaves open is open', () => {
    expect(program.take(s.object({ a: s.any.optional })).toJSON()['inputSchema']).toMatchObject({
      properties: { a: {} },
    })
  })
})

describe('types', () => {
  const double = defineAtom(
    'double',
    s.object({ n: s.number, note: s.string.optional }),
    s.number,
    async ({ n }) => n * 2,
  )

  test('an atom knows its input and output', () => {
    expectTypeOf(double.exec).parameter(0).toEqualTypeOf<{ n: number; note?: string | undefined }>()
    const zod = defineAtom('zod', z.object({ n: z.number() }), z.string(), ({ n }) => String(n))
    expectTypeOf(zod.exec).parameter(0).toEqualTypeOf<{ n: number }>()
  })

  test('a method of a builder takes values, expressions and references, and nothing else', () => {
    const chain = newBuilder({ anyName: double })
    chain
      .double({ n: 1 })
      .double({ n: Agent.val('x') })
      .double({ n: Agent.args('x'), note: 'y' })
      .double({ n: 'x' })
    // @ts-expect-error -- a required field is missing
    chain.double({})
    // @ts-expect-error -- an atom that nobody defined
    expect(() => chain.triple({ n: 1 })).toThrow('triple')
    // @ts-expect-error -- a boolean is no number
    program.split({ str: true, sep: ',' })
    expect(steps(chain)).toHaveLength(5)
  })
})

test('a schema of a program that is no JSON Schema is refused where it is given', () => {
  expect(() => program.take({ amount: 'number' })).toThrow("properties: { amount: { type: 'number' } }")
})
