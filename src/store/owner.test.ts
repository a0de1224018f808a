import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { isGone, ownerName } from './owner.ts'

const [, host] = /@([^#]+)#/.exec(ownerName())!

test('a living process is not gone, whatever follows its name', () => {
  expect(isGone(ownerName())).toBe(false)
  expect(isGone(`${ownerName()}/service-2`)).toBe(false)
})

test('a process that was killed is gone at once', async () => {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' })
  const name = `${child.pid}@${host}#0`
  expect(isGone(name)).toBe(false)
  child.kill('SIGKILL')
  await once(child, 'exit')
  expect(isGone(name)).toBe(true)
})

test.skipIf(process.platform !== 'linux')('a number that went to another process does not bring its owner back', () => {
  expect(isGone(`${process.pid}@${host}#1`)).toBe(true)
})

test('nothing is said about other machines and other kinds of owners', () => {
  expect(isGone('999999@elsewhere#5')).toBe(false)
  expect(isGone('import')).toBe(false)
  expect(isGone('')).toBe(false)
})
