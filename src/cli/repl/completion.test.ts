import { expect, it } from 'vitest'
import { completerFor } from './completion.ts'

const complete = completerFor(() => ({
  names: ['total', 'totals', 'print'],
  tools: new Map([
    ['search', 'tools.search({ q: string }): Promise<any>'],
    ['send', 'tools.send(): Promise<any>'],
  ]),
  commands: [':help', ':vars', ':undo'],
}))

it.each<[string, readonly string[], string]>([
  ['let x = tot', ['total', 'totals'], 'tot'],
  [':v', [':vars'], ':v'],
  ['await tools.se', ['search', 'send'], 'se'],
  ['await tools.search(', ['tools.search({ q: string }): Promise<any>', ' '], ''],
  ['1 + ', [], ''],
])('completes %j', async (line, found, part) => {
  expect(await complete(line)).toEqual([found, part])
})
