import { tool } from 'ai'
import { expect, expectTypeOf, test } from 'vitest'
import { z } from 'zod'
import { defineTool, toolFrom, toolsFrom } from '../define-tool.ts'
import { toolContext } from '../../../test/tools/tool-context.fixture.ts'

const inputSchema = z.object({ precise: z.boolean() })

test('a tool of the AI SDK without execute is a question, whose answer is its result', async () => {
  const [locate] = toolsFrom({
    locate: tool({ description: 'Finds the user.', inputSchema, outputSchema: z.object({ city: z.string() }) }),
  })
  expect(await locate!.validate({})).toMatchObject({ valid: false })
  expect(locate!.standsFor!({ precise: true }, 0)).toMatchObject({
    kind: 'question',
    input: {
      text: 'Carry out "locate" (Finds the user.) and give its result. Input: {"precise":true}',
      input: { precise: true },
      schema: expect.objectContaining({ type: 'object', required: ['city'] }),
    },
  })
})

test('so does a definition of ours without run, and without an output schema any answer will do', () => {
  const confirm = defineTool({ name: 'confirm', inputSchema: { type: 'object' } })
  expectTypeOf(confirm.name).toEqualTypeOf<'confirm'>()
  const long = { text: 'x'.repeat(10_000) }
  const { input } = confirm.standsFor!(long, 0) as unknown as { input: { text: string; input: object } }
  expect(Object.keys(input)).toEqual(['text', 'input'])
  expect(input.input).toEqual(long)
  expect(input.text.length).toBeLessThan(2_200)
})

test('without a client it fails with the reason', () => {
  const confirm = defineTool({ name: 'confirm', inputSchema: { type: 'object' } })
  expect(() => confirm.run({}, toolContext())).toThrow('"confirm" is a client tool without a function')
})

test("a definition with a misspelt function, or of a provider's tool, is not a client tool", () => {
  const run = (): number => 1
  class Lookup {
    readonly name = 'a'
    readonly inputSchema = inputSchema
    call(): number {
      return 1
    }
  }
  const given = [{ inputSchema, runn: run }, { inputSchema, call: run }, { inputSchema, type: 'provider' }, {}]
  for (const fields of given) expect(() => toolFrom({ name: 'a', ...fields })).toThrow('`run` is missing')
  expect(() => toolFrom(new Lookup())).toThrow('`run` is missing')
})

test('what would not hold for a call that is carried out elsewhere is refused', () => {
  const given = { needsApproval: true, risk: 'write', labels: ['web'], toModelOutput: () => ({}) }
  for (const [field, value] of Object.entries(given)) {
    const wrong = new RegExp(`Tool "a": \`${field}\` does not apply to a tool without a function`)
    expect(() => toolFrom({ name: 'a', inputSchema, [field]: value })).toThrow(wrong)
    if (field !== 'toModelOutput') expect(() => toolFrom({ name: 'a', inputSchema }, { [field]: value })).toThrow(wrong)
  }
  expect(toolFrom({ name: 'a', inputSchema, needsApproval: false, risk: 'read' }).standsFor).toBeDefined()
})

test('its question asks for what goes into the transforms of the output schema', () => {
  const outputSchema = z.object({ day: z.string().transform((day) => new Date(day)), note: z.string().default('none') })
  const pick = defineTool({ name: 'pick', inputSchema: { type: 'object' }, outputSchema })
  const { input } = pick.standsFor!({}, 0) as unknown as { input: { schema: object } }
  expect(input.schema).toMatchObject({ properties: { day: { type: 'string' } }, required: ['day'] })
})
