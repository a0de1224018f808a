import { expect, it } from 'vitest'
import { Agent, defineTool } from 'mandate'
import { compileRag } from 'mandate/graph'
import { scripted, textOf } from 'mandate/model'
import { codeMode } from 'mandate/repl'
import type { CodeModeOptions } from 'mandate/repl'

const cell = (source: string): string => `\`\`\`js\n${source}\n\`\`\``

/** What the model of an agent in code mode is told first. */
async function promptOf(options: CodeModeOptions = {}, given: { readonly context?: string } = {}): Promise<string> {
  const model = scripted([cell("answer('ok')")])
  const find = defineTool({
    name: 'find',
    risk: 'read',
    inputSchema: { type: 'object', properties: { day: { type: 'string', description: 'YYYY-MM-DD' } } },
    outputSchema: { type: 'object', properties: { hits: { type: 'number' } }, required: ['hits'] },
    run: () => ({ hits: 1 }),
  })
  await new Agent({ mode: codeMode(options), model, tools: [find] }).run('Go.', given)
  return textOf(model.requests[0]!.messages[0]!)
}

it.each<[string, unknown, string]>([
  ['answer("forty-two")', 'forty-two', 'forty-two'],
  ['answer(6 * 7)', '42', '42'],
  ['answer({ n: 1, of: [null] })', '{"n":1,"of":[null]}', '{"n":1,"of":[null]}'],
])('%s answers, with a text or the JSON of data', async (source, result, text) => {
  expect(await new Agent({ mode: 'code', model: scripted([cell(source)]) }).run('What?')).toMatchObject({
    result,
    text,
  })
})

it('answer() without a value is refused, and the model may mend it', async () => {
  const model = scripted([cell('answer()'), cell('answer(1)')])
  expect(await new Agent({ mode: 'code', model }).run('What?')).toMatchObject({ result: '1' })
  expect(textOf(model.requests[1]!.messages.at(-1)!)).toContain('answer takes a text, or data')
})

it('the prompt says one way to answer, and each thing that is refused in words of its own', async () => {
  const prompt = await promptOf()
  expect(prompt).toContain('`answer(value)`')
  expect(prompt).not.toContain('Return the answer')
  expect(prompt).not.toContain('this regular expression')
})

it.each(['general', 'context-explorer', 'orchestrator'] as const)(
  '%s mentions a context that there is',
  async (template) => {
    const told = 'It is a text of 9 characters.'
    expect(await promptOf({ template }, { context: 'some text' })).toContain(told)
    expect(await promptOf({ template })).not.toContain(told)
  },
)

it('no word is lost on a context where there is none', async () => {
  expect(await promptOf()).not.toContain('`context`')
})

it('the graph in the prompt compiles, and is not there where cells may define none', async () => {
  const [, source] = /```rag\n([^]*?)```/.exec(await promptOf({ template: 'orchestrator' })) ?? []
  expect(compileRag(source!)).toMatchObject({ graphs: [{ name: 'letter' }], diagnostics: [] })
  expect(await promptOf({ policy: { maxGraphDefinitions: 0 } })).not.toContain('graph_define')
})

it('tools are told with what they take and give', async () => {
  expect(await promptOf()).toContain('tools.find({ day?: string /* YYYY-MM-DD */ }): Promise<{ hits: number }>')
})

it('a cell without a limit of time is not said to have one', async () => {
  expect(await promptOf({ policy: { timeoutMs: 0 } })).toContain('Limits: 64 model calls')
})
