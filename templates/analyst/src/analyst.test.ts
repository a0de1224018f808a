import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AgentService } from 'mandate'
import { scripted } from 'mandate/model'
import config from '../mandate.config.ts'
import { rowsOf } from './table.ts'

const analyst = config.agents![0]!

/** Asks the analyst, who writes these cells. */
async function ask(...cells: string[]) {
  const replies = cells.map((cell) => `\`\`\`js\n${cell}\n\`\`\``)
  const service = new AgentService({ agents: [{ ...analyst, model: scripted(replies) }] })
  try {
    return await service.run('analyst', 'What did we sell?')
  } finally {
    await service.stop()
  }
}

test('variables stay between cells, and the answer is computed from the table', async () => {
  const { status, result } = await ask(
    'const rows = await tools.read_table({ table: "sales" })',
    'answer(String(rows.reduce((sum, row) => sum + row.amount, 0)))',
  )
  assert.equal(status, 'completed')
  assert.equal(result, '665')
})

test('code cannot reach files or the network', async () => {
  const { result } = await ask('answer([typeof fetch, typeof process, typeof require].join())')
  assert.equal(result, 'undefined,undefined,undefined')
})

test('numbers of a table are numbers', () => {
  assert.deepEqual(rowsOf('shop,amount\nnorth,12\n'), [{ shop: 'north', amount: 12 }])
})
