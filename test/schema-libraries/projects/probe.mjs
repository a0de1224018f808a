import { testAgent } from 'mandate/testing'
import { defineTool } from 'mandate/tool'

const WHEN = '2026-01-02T00:00:00.000Z'

/** What a tool and an agent with this schema do, printed for the test. */
export async function probe(schemas) {
  const told = {}
  for (const [name, schema] of Object.entries(schemas)) told[name] = await probeOne(schema)
  process.stdout.write(JSON.stringify(told))
}

async function probeOne(schema) {
  const given = []
  const define = (outputSchema, result) =>
    defineTool({ name: 'book', inputSchema: schema, outputSchema, run: (input) => (given.push(input), result) })
  const answer = { city: ' Oslo ', when: WHEN, odd: 1 }
  const tool = define(schema, answer)
  const valid = await tool.validate(answer)
  const invalid = await tool.validate({ ...answer, city: 7 })
  const result = await tool.run(valid.value ?? answer, {}).catch(String)
  const refused = await define(schema, { ...answer, city: 7 })
    .run(valid.value ?? answer, {})
    .catch((error) => [error.code, error.message])
  const bench = testAgent({ output: schema }, { script: [JSON.stringify(answer)] })
  const { result: made, error } = await bench.run('Where?')
  return {
    input: tool.inputSchema,
    output: tool.outputSchema,
    format: bench.model.requests[0].responseFormat?.schema,
    valid: valid.valid,
    invalid: invalid.valid ? 'accepted' : invalid.issues[0].path,
    isDate: given[0]?.when instanceof Date,
    result,
    refused,
    made: error ?? made,
  }
}
