import { appendFileSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { sha256 } from '../../../core/index.ts'
import type { Head } from '../../../journal/index.ts'
import { KnownHeads } from './known-heads.ts'
import { newPath } from '../sqlite.fixture.ts'

function open(path: string, store = 'store-1'): KnownHeads {
  const heads = new KnownHeads(path)
  heads.belongTo(store)
  return heads
}

const head = (seq: number): Head => ({ seq, hash: sha256(String(seq)), at: seq * 10 })

test('what was noted is known at once, and after opening again once it was written', () => {
  const path = newPath()
  const heads = open(path)
  heads.note('run', head(1), false)
  heads.note('run', head(2), false)
  expect(heads.get('run')).toEqual(head(2))
  expect(existsSync(`${path}.heads`)).toBe(false)
  heads.flush()
  expect(open(path).get('run')).toEqual(head(2))
  expect(open(path).get('other')).toBeUndefined()
})

test('two processes see what the other has written', () => {
  const path = newPath()
  const [here, there] = [open(path), open(path)]
  here.note('a', head(1), false)
  here.flush()
  expect(there.get('a')).toEqual(head(1))
  there.note('b', head(4), true)
  there.flush()
  here.note('a', head(2), false)
  here.flush()
  expect([here.get('a'), here.get('b'), there.get('a'), there.get('b')]).toEqual([head(2), head(4), head(2), head(4)])
})

test('a torn line is nothing, and does not spoil the next', () => {
  const path = newPath()
  const heads = open(path)
  heads.note('run', head(1), false)
  heads.flush()
  appendFileSync(`${path}.heads`, 'run 7 70 abcd')
  const after = open(path)
  expect(after.get('run')).toEqual(head(1))
  after.note('run', head(2), false)
  after.flush()
  expect(open(path).get('run')).toEqual(head(2))
})

test('a flipped bit makes a line unknown, never wrong', () => {
  const path = newPath()
  const heads = open(path)
  heads.note('run', head(5), false)
  heads.flush()
  const bytes = readFileSync(`${path}.heads`)
  for (let index = 0; index < bytes.length; index++) {
    const copy = Buffer.from(bytes)
    copy[index]! ^= 1
    writeFileSync(`${path}.heads`, copy)
    expect([undefined, JSON.stringify(head(5))]).toContain(JSON.stringify(open(path).get('run')))
  }
})

test('heads of another database with the same path are ignored', () => {
  const path = newPath()
  const old = open(path, 'store-1')
  old.note('run', head(5), false)
  old.flush()
  const next = open(path, 'store-2')
  expect(next.get('run')).toBeUndefined()
  next.note('mine', head(1), false)
  next.flush()
  expect(open(path, 'store-2').get('mine')).toEqual(head(1))
  expect(open(path, 'store-2').get('run')).toBeUndefined()
})

test('the file stays small however long a run is, and drops the oldest of very many runs', () => {
  const path = newPath()
  const heads = open(path)
  for (let seq = 1; seq <= 3; seq++) {
    for (let run = 0; run < 9_000; run++) heads.note(`run_${run}`, head(seq), false)
    heads.flush()
  }
  heads.note('last', head(1), false)
  heads.flush()
  expect(statSync(`${path}.heads`).size).toBeLessThan(2_100_000)
  expect(open(path).get('run_8999')).toEqual(head(3))
  expect(open(path).get('run_0')).toBeUndefined()
  expect(open(path).get('last')).toEqual(head(1))
})

test('a place that cannot be written costs a check, not an error', () => {
  const heads = open('/proc/no-such-place/journal.db')
  heads.note('run', head(1), true)
  heads.flush()
  expect(heads.get('run')).toEqual(head(1))
})
