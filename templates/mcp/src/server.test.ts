import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withServer } from './client.ts'

test('reading needs no approval', async () => {
  await withServer('reject', async (call, asked) => {
    assert.match(JSON.stringify(await call('find_notes', { text: 'kettle' })), /leaks/)
    assert.deepEqual(asked, [])
  })
})

test('deleting asks the person at the client, and happens only when approved', async () => {
  await withServer('approve', async (call, asked) => {
    assert.match(JSON.stringify(await call('delete_note', { id: 'n2' })), /deleted n2/)
    assert.equal(asked.length, 1)
  })
  await withServer('reject', async (call) => {
    await assert.rejects(call('delete_note', { id: 'n2' }))
    assert.match(JSON.stringify(await call('find_notes', { text: 'kettle' })), /leaks/)
  })
})
