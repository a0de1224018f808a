import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { CONNECT_CHECKS } from '../../src/connect/checks.ts'
import { BUDGET_UNITS, DEFAULT_RUN_LIMITS } from '../../src/core/index.ts'
import { DEFAULT_GUARDS } from '../../src/gate/index.ts'
import { readPolicy } from '../../src/repl/session/policy.ts'
import { DEFAULT_VM_LIMITS } from '../../src/vm/meter/limits.ts'
import { SWITCHED_IN_TESTS } from './connect-mutations.ts'
import { mutate, occurrences } from './mutation.ts'
import { MUTATIONS } from './mutations.ts'
import { REFUSALS, UNSWITCHED } from './server-refusals.ts'

const root = new URL('../../', import.meta.url)
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8')
const ids = new Set(MUTATIONS.map(({ id }) => id))

test.each(MUTATIONS)('$id can be applied, and its tests are there', (row) => {
  expect(occurrences(read(row.file), row.find)).toBe(1)
  expect(mutate(read(row.file), row)).not.toBe(read(row.file))
  for (const path of row.tests) expect(existsSync(new URL(path, root)), path).toBe(true)
})

test('no two rows have one id', () => {
  expect(ids.size).toBe(MUTATIONS.length)
})

describe('there is a row for', () => {
  const has = (id: string): boolean => MUTATIONS.some((row) => row.id === id || row.id.startsWith(`${id}.`))
  test.each(DEFAULT_GUARDS.map(({ name }) => name))('the guard %s', (name) => expect(has(`gate.${name}`)).toBe(true))
  test.each(BUDGET_UNITS)('the budget unit %s', (unit) => expect(has(`budget.${unit}`)).toBe(true))
  test.each(Object.keys(DEFAULT_RUN_LIMITS))('the limit %s of a run', (limit) => expect(has(`run.${limit}`)).toBe(true))
  test.each(Object.keys(DEFAULT_VM_LIMITS))('the limit %s of the VM', (limit) => expect(has(`vm.${limit}`)).toBe(true))
  test.each(Object.keys(readPolicy()))('the limit %s of cells', (limit) => expect(has(`cells.${limit}`)).toBe(true))
  test.each(CONNECT_CHECKS)('the check %s of the connectors, here or in its own tests', (check) => {
    const file = SWITCHED_IN_TESTS[check]
    if (file === undefined) {
      expect(has(`connect.${check}`)).toBe(true)
      return
    }
    const text = read(file)
    expect([text.includes('withoutCheck('), text.includes(`'${check}'`)]).toEqual([true, true])
  })

  test('everything that the server refuses, or a reason why not', () => {
    const files = readdirSync(new URL('src/server/', root), { recursive: true, encoding: 'utf8' })
    const found = files
      .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
      .flatMap((name) => read(`src/server/${name}`).split('\n'))
      .map((line) => line.trim())
      .filter((line) => /throw |status: 4\d\d|ValidationResponse\(|return failure\(/.test(line))
    const unlisted = found.filter(
      (line) => ![...REFUSALS.keys(), ...UNSWITCHED.keys()].some((part) => line.includes(part)),
    )
    expect(unlisted).toEqual([])
    for (const id of [...REFUSALS.values()].flat()) expect(ids, id).toContain(id)
    for (const part of [...REFUSALS.keys(), ...UNSWITCHED.keys()])
      expect(
        found.some((line) => line.includes(part)),
        part,
      ).toBe(true)
  })
})

test('the committed matrix has every row, and none whose absence goes unnoticed', () => {
  const lines = readFileSync(fileURLToPath(new URL('matrix.txt', import.meta.url)), 'utf8').split('\n')
  const tried = lines.filter((line) => / \d+ of \d+ fail /.test(line))
  expect(tried.map((line) => line.slice(0, line.indexOf(' ')))).toEqual(MUTATIONS.map(({ id }) => id))
  expect(tried.filter((line) => / 0 of \d+ fail |PROBLEM/.test(line))).toEqual([])
})
