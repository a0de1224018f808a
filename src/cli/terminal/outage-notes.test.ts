import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { manualClock } from '../../core/index.ts'
import { restateAnswers } from '../workers/restate-place.ts'
import { outageNotes } from './outage-notes.ts'

test('that a store is away is said once, however often it is noticed, and so is that it is back', async () => {
  const clock = manualClock(0)
  const notes: string[] = []
  let isThere = false
  const look = async (): Promise<void> => (isThere ? undefined : Promise.reject(new Error('away')))
  const fault = outageNotes({ clock, note: (text) => notes.push(text), look })
  const second = async (): Promise<void> => {
    clock.advance(1_000)
    await Promise.resolve()
    await Promise.resolve()
  }
  for (let times = 0; times < 24; times++) {
    fault('connect ECONNREFUSED')
    if (times % 4 === 0) await second()
  }
  expect(notes).toEqual([expect.stringContaining('connect ECONNREFUSED')])
  isThere = true
  await second()
  expect(notes.slice(1)).toEqual(['the store answers again'])
  fault('connect ECONNREFUSED')
  expect(notes).toHaveLength(3)
})

test('of a worker on Restate, an outage lasts until its server answers as well', async () => {
  await using server = createServer((_, response) => void response.end())
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  await expect(restateAnswers({ ingress: url, admin: 'http://127.0.0.1:1' })).rejects.toThrow('fetch failed')
  await expect(restateAnswers({ ingress: `${url}/`, admin: url })).resolves.toBeUndefined()
  const notes: string[] = []
  outageNotes({ clock: manualClock(0), note: (text) => notes.push(text), what: 'Restate', look: async () => {} })('no')
  expect(notes).toEqual([expect.stringMatching(/^Restate does not answer/u)])
})
