import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const program = `
import { registerHooks } from 'node:module'
let loads = 0
registerHooks({
  resolve(specifier, context, next) {
    if (specifier === '@cfworker/json-schema') loads++
    return next(specifier, context)
  },
})
const { defineTool } = await import(process.argv[1])
const tool = (name) => defineTool({ name, inputSchema: { type: 'object', required: ['a'] }, run: () => 1 })
const first = tool('a')
const second = tool('b')
const seen = [loads]
await first.validate({ a: 1 })
seen.push(loads)
await first.validate({})
seen.push(loads)
await second.validate({})
await first.validate({ a: 1 })
seen.push(loads)
console.log(JSON.stringify(seen))
`

test('the validator is loaded by the first input that plain words do not settle, not before, and once', async () => {
  const door = new URL('./index.ts', import.meta.url).href
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program, door], {
    cwd: fileURLToPath(new URL('.', import.meta.url)),
  })
  expect(JSON.parse(stdout)).toEqual([0, 0, 1, 1])
})
